import { type KnownFile, named } from './known-files.ts'

const googleNumbered = (type: string) =>
  [
    ...['E-mail 1', 'E-mail 2', 'Phone 1', 'Phone 2'].flatMap(name => [`${name} - ${type}`, `${name} - Value`]),
    ...[type, 'Formatted', 'Street', 'City', 'PO Box', 'Region', 'Postal Code', 'Country', 'Extended Address'].map(
      part => `Address 1 - ${part}`,
    ),
  ].join(',')

const googleReach = {
  ...{ email1: 'E-mail 1 - Value', email2: 'E-mail 2 - Value', phone1: 'Phone 1 - Value', phone2: 'Phone 2 - Value' },
  'address.line1': 'Address 1 - Street',
  'address.line2': 'Address 1 - Extended Address',
  'address.city': 'Address 1 - City',
  'address.region': 'Address 1 - Region',
  'address.postalCode': 'Address 1 - Postal Code',
  'address.country': 'Address 1 - Country',
  ...{ birthDate: 'Birthday', description: 'Notes' },
}

const outlookEnglish = `Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business Street 2,
  Business Street 3,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home Street 2,
  Home Street 3,Home City,Home State,Home Postal Code,Home Country/Region,Other Street,Other City,Other State,
  Other Postal Code,Other Country/Region,Assistant's Phone,Business Fax,Business Phone,Business Phone 2,Callback,Car Phone,
  Company Main Phone,Home Fax,Home Phone,Home Phone 2,ISDN,Mobile Phone,Other Fax,Other Phone,Pager,Primary Phone,
  Radio Phone,TTY/TDD Phone,Telex,Account,Anniversary,Assistant's Name,Billing Information,Birthday,
  Business Address PO Box,Categories,Children,Directory Server,E-mail Address,E-mail Type,E-mail Display Name,
  E-mail 2 Address,E-mail 2 Type,E-mail 2 Display Name,E-mail 3 Address,E-mail 3 Type,E-mail 3 Display Name,Gender,
  Government ID Number,Hobby,Home Address PO Box,Initials,Internet Free Busy,Keywords,Language,Location,Manager's Name,
  Mileage,Notes,Office Location,Organizational ID Number,Other Address PO Box,Priority,Private,Profession,Referred By,
  Sensitivity,Spouse,User 1,User 2,Web Page`

const outlookGerman = `Anrede,Vorname,Weitere Vornamen,Nachname,Suffix,Firma,Abteilung,Position,Straße geschäftlich,
  Straße geschäftlich 2,Straße geschäftlich 3,Ort geschäftlich,Region geschäftlich,Postleitzahl geschäftlich,
  Land/Region geschäftlich,Straße privat,Straße privat 2,Straße privat 3,Ort privat,Bundesland/Kanton privat,
  Postleitzahl privat,Land/Region privat,Weitere Straße,Weiterer Ort,Weiteres/r Bundesland/Kanton,Weitere Postleitzahl,
  Weiteres/e Land/Region,Telefon Assistent,Fax geschäftlich,Telefon geschäftlich,Telefon geschäftlich 2,Rückmeldung,
  Autotelefon,Telefon Firma,Fax privat,Telefon (privat),Telefon (privat 2),ISDN,Mobiltelefon,Weiteres Fax,
  Weiteres Telefon,Pager,Haupttelefon,Mobiltelefon 2,Telefon für Hörbehinderte,Telex,Abrechnungsinformation,
  Assistent(in),Benutzer 1,Beruf,Büro,E-Mail-Adresse,E-Mail-Typ,E-Mail: Angezeigter Name,E-Mail 2: Adresse,
  E-Mail 2: Typ,E-Mail 2: Angezeigter Name,E-Mail 3: Adresse,E-Mail 3: Typ,E-Mail 3: Angezeigter Name,Empfohlen von,
  Geburtstag,Geschlecht,Hobby,Initialen,Internet Frei/Gebucht,Jahrestag,Kategorien,Kinder,Konto,Name Assistent,
  Name des/der Vorgesetzten,Notizen,Organisations-Nr.,Ort,Partner/in,Postfach geschäftlich,Postfach privat,Priorität,
  Privat,Regierungs-Nr.,Reisekilometer,Sprache,Stichwörter,Vertraulichkeit,Verzeichnisserver,Webseite,Weiteres Postfach`

const outlookRussian = `Обращение,Имя,Отчество,Фамилия,Суффикс,Организация,Отдел,Должность,Улица (раб. адрес),
  Улица 2 (раб. адрес),Улица 3 (раб. адрес),Город (раб. адрес),Область (раб. адрес),Индекс (раб. адрес),
  Страна или регион (раб. адрес),Улица (дом. адрес),Улица 2 (дом. адрес),Город (дом. адрес),Область (дом. адрес),
  Почтовый код (дом.),Страна или регион (дом. адрес),Улица (другой адрес),Город  (другой адрес),Область  (другой адрес),
  Индекс  (другой адрес),Страна или регион  (другой адрес),Телефон помощника,Рабочий факс,Рабочий телефон,Телефон раб. 2,
  Обратный вызов,Телефон в машине,Основной телефон организации,Домашний факс,Домашний телефон,Телефон дом. 2,ISDN,
  Телефон переносной,Другой факс,Другой телефон,Пейджер,Основной телефон,Радиотелефон,Телетайп/телефон с титрами,Телекс,
  Важность,Веб-страница,Годовщина,День рождения,Дети,Заметки,Имя помощника,Инициалы,Категории,Ключевые слова,
  Код организации,Личный код,Отложено,Пол,Пользователь 1,Пометка,Почтовый ящик (раб. адрес),Профессия,Расположение,
  Расположение комнаты,Расстояние,Руководитель,Сведения о доступности в Интернете,Сервер каталогов,Супруг(а),Счет,Счета,
  Хобби,Частное,Адрес эл. почты,Тип эл. почты,Краткое имя эл. почты,Адрес 2 эл. почты,Тип 2 эл. почты,
  Краткое 2 имя эл. почты,Адрес 3 эл. почты,Тип 3 эл. почты,Краткое 3 имя эл. почты,Язык`

/** The columns of address books. Google and the makers of tables from vCards name them alike in every language. */
export const addressBooks: readonly KnownFile[] = [
  {
    product: 'Google Contacts until 2024',
    header:
      named(`Name,Given Name,Additional Name,Family Name,Yomi Name,Given Name Yomi,Name Prefix,Name Suffix,Initials,Nickname,
      Short Name,Maiden Name,Birthday,Gender,Location,Billing Information,Directory Server,Mileage,Occupation,Hobby,
      Sensitivity,Priority,Subject,Notes,Language,Photo,Group Membership,${googleNumbered('Type')},
      Organization 1 - Type,Organization 1 - Name,Organization 1 - Yomi Name,Organization 1 - Title,
      Organization 1 - Department,Organization 1 - Symbol,Organization 1 - Location,Organization 1 - Job Description,
      Website 1 - Type,Website 1 - Value`),
    cells: { 'Group Membership': '* myContacts ::: * starred', 'Given Name': 'Anna' },
    mapping: {
      ...{ firstName: 'Given Name', middleName: 'Additional Name', lastName: 'Family Name' },
      ...{ companyName: 'Organization 1 - Name', jobTitle: 'Organization 1 - Title' },
      ...googleReach,
    },
  },
  {
    product: 'Google Contacts since 2024',
    header:
      named(`First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,
      Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,
      ${googleNumbered('Label')},Relation 1 - Label,Relation 1 - Value,Website 1 - Label,Website 1 - Value`),
    cells: { Labels: 'regular', 'First Name': 'Anna' },
    mapping: {
      ...{ firstName: 'First Name', middleName: 'Middle Name', lastName: 'Last Name', tags: 'Labels' },
      ...{ companyName: 'Organization Name', jobTitle: 'Organization Title' },
      ...googleReach,
    },
  },
  {
    product: 'Outlook, English',
    header: named(outlookEnglish),
    // Three numbers can be taken: those that there are come first.
    cells: { 'Home Phone 2': '(202) 555-0143', 'Home Phone': '(202) 555-0144' },
    mapping: {
      ...{ firstName: 'First Name', middleName: 'Middle Name', lastName: 'Last Name', jobTitle: 'Job Title' },
      ...{ companyName: 'Company', birthDate: 'Birthday', description: 'Notes', tags: 'Categories' },
      ...{ phone1: 'Home Phone', phone2: 'Home Phone 2', phone3: 'Mobile Phone' },
      ...{ email1: 'E-mail Address', email2: 'E-mail 2 Address', email3: 'E-mail 3 Address' },
      ...{ 'address.line1': 'Business Street', 'address.line2': 'Business Street 2', 'address.city': 'Business City' },
      ...{ 'address.region': 'Business State', 'address.postalCode': 'Business Postal Code' },
      'address.country': 'Business Country/Region',
    },
  },
  {
    product: 'Outlook, German',
    header: named(outlookGerman),
    mapping: {
      ...{ firstName: 'Vorname', middleName: 'Weitere Vornamen', lastName: 'Nachname', jobTitle: 'Position' },
      ...{ companyName: 'Firma', birthDate: 'Geburtstag', description: 'Notizen', tags: 'Kategorien' },
      ...{ phone1: 'Mobiltelefon', phone2: 'Mobiltelefon 2', phone3: 'Haupttelefon' },
      ...{ email1: 'E-Mail-Adresse', email2: 'E-Mail 2: Adresse', email3: 'E-Mail 3: Adresse' },
      ...{ 'address.line1': 'Straße geschäftlich', 'address.line2': 'Straße geschäftlich 2' },
      ...{ 'address.city': 'Ort geschäftlich', 'address.region': 'Region geschäftlich' },
      ...{ 'address.postalCode': 'Postleitzahl geschäftlich', 'address.country': 'Land/Region geschäftlich' },
    },
  },
  {
    product: 'Outlook, Russian',
    header: named(outlookRussian),
    mapping: {
      ...{ firstName: 'Имя', middleName: 'Отчество', lastName: 'Фамилия', jobTitle: 'Должность' },
      ...{ companyName: 'Организация', birthDate: 'День рождения', description: 'Заметки', tags: 'Категории' },
      ...{ phone1: 'Телефон переносной', phone2: 'Основной телефон', phone3: 'Рабочий телефон' },
      ...{ email1: 'Адрес эл. почты', email2: 'Адрес 2 эл. почты', email3: 'Адрес 3 эл. почты' },
      ...{ 'address.line1': 'Улица (раб. адрес)', 'address.line2': 'Улица 2 (раб. адрес)' },
      ...{ 'address.city': 'Город (раб. адрес)', 'address.region': 'Область (раб. адрес)' },
      ...{ 'address.postalCode': 'Индекс (раб. адрес)', 'address.country': 'Страна или регион (раб. адрес)' },
    },
  },
  {
    product: 'vCards, by the names of their properties',
    header: named('UID,FN,N.Family,N.Given,N.Additional,ORG,TITLE,BDAY,NOTE,URL,CATEGORIES,ADR').concat(
      ...[['TEL;TYPE=CELL'], ['TEL;TYPE=WORK'], ['TEL;TYPE=HOME'], ['EMAIL;TYPE=INTERNET'], ['EMAIL;TYPE=WORK']],
    ),
    mapping: {
      ...{ externalId: 'UID', firstName: 'N.Given', middleName: 'N.Additional', lastName: 'N.Family' },
      ...{ companyName: 'ORG', jobTitle: 'TITLE', birthDate: 'BDAY', description: 'NOTE', tags: 'CATEGORIES' },
      ...{ phone1: 'TEL;TYPE=CELL', phone2: 'TEL;TYPE=WORK', phone3: 'TEL;TYPE=HOME' },
      ...{ email1: 'EMAIL;TYPE=INTERNET', email2: 'EMAIL;TYPE=WORK', 'address.line1': 'ADR' },
    },
  },
  {
    product: 'vCards, in words',
    header: named(
      'Formatted Name,Given Name,Family Name,Organization,Role,Birthday,Phone (Mobile),Phone (Work),Email (Work),Note',
    ),
    mapping: {
      ...{ firstName: 'Given Name', lastName: 'Family Name', companyName: 'Organization', jobTitle: 'Role' },
      ...{ birthDate: 'Birthday', phone1: 'Phone (Mobile)', phone2: 'Phone (Work)', email1: 'Email (Work)' },
      description: 'Note',
    },
  },
]
