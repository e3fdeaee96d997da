import { type KnownFile, named } from './known-files.ts'

const owners = { 'Contact owner': 'Olga Orlova', 'Contact Owner': 'Olga Orlova', 'Person - Owner': 'Olga Orlova' }

const hubSpot: readonly KnownFile[] = [
  {
    product: 'HubSpot, English',
    header:
      named(`Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Lead Status,Lifecycle Stage,
      Job Title,Company Name,Street Address,City,State/Region,Postal Code,Country/Region,Date of birth,Website URL,
      Create Date,Original Source,Associated Company IDs`),
    cells: owners,
    mapping: {
      ...{ externalId: 'Record ID', firstName: 'First Name', lastName: 'Last Name', email1: 'Email' },
      ...{ phone1: 'Mobile Phone Number', phone2: 'Phone Number', jobTitle: 'Job Title', companyName: 'Company Name' },
      ...{ 'address.line1': 'Street Address', 'address.city': 'City', 'address.region': 'State/Region' },
      ...{ 'address.postalCode': 'Postal Code', 'address.country': 'Country/Region', birthDate: 'Date of birth' },
      source: 'Original Source',
    },
  },
  {
    product: 'HubSpot, German',
    header:
      named(`Datensatz-ID,Vorname,Nachname,E-Mail,Telefonnummer,Mobiltelefonnummer,Zuständiger Mitarbeiter,Lead-Status,
      Jobtitel,Name des Unternehmens,Straße und Hausnummer,Stadt,Bundesland/Region,Postleitzahl,Land/Region,Geburtsdatum`),
    cells: { 'Zuständiger Mitarbeiter': 'olga@example.com' },
    mapping: {
      ...{ externalId: 'Datensatz-ID', firstName: 'Vorname', lastName: 'Nachname', email1: 'E-Mail' },
      ...{ phone1: 'Mobiltelefonnummer', phone2: 'Telefonnummer', ownerEmail: 'Zuständiger Mitarbeiter' },
      ...{ jobTitle: 'Jobtitel', companyName: 'Name des Unternehmens', 'address.line1': 'Straße und Hausnummer' },
      ...{ 'address.city': 'Stadt', 'address.region': 'Bundesland/Region', 'address.postalCode': 'Postleitzahl' },
      ...{ 'address.country': 'Land/Region', birthDate: 'Geburtsdatum' },
    },
  },
  {
    product: 'HubSpot, companies',
    entityType: 'companies',
    header:
      named(`Record ID,Company name,Company owner,Company Domain Name,Website URL,Phone Number,Street Address,Street Address 2,
      City,State/Region,Postal Code,Country/Region,Industry,Number of Employees,Description,Create Date`),
    mapping: {
      ...{ externalId: 'Record ID', name: 'Company name', website1: 'Website URL', website2: 'Company Domain Name' },
      ...{ phone1: 'Phone Number', 'address.line1': 'Street Address', 'address.line2': 'Street Address 2' },
      ...{ 'address.city': 'City', 'address.region': 'State/Region', 'address.postalCode': 'Postal Code' },
      ...{ 'address.country': 'Country/Region', industry: 'Industry', employeesCount: 'Number of Employees' },
      description: 'Description',
    },
  },
]

const pipedrive: readonly KnownFile[] = [
  {
    product: 'Pipedrive, English',
    header:
      named(`Person - ID,Person - Name,Person - First name,Person - Last name,Person - Organization,Person - Label,
      Person - Phone - Work,Person - Phone - Home,Person - Phone - Mobile,Person - Phone - Other,Person - Email - Work,
      Person - Email - Home,Person - Email - Other,Person - Job title,Person - Postal address,Person - Birthday,
      Person - Notes,Person - Open deals,Person - Next activity date,Person - Owner,Organization - Name`),
    cells: owners,
    mapping: {
      ...{ externalId: 'Person - ID', firstName: 'Person - First name', lastName: 'Person - Last name' },
      ...{ companyName: 'Organization - Name', tags: 'Person - Label', phone1: 'Person - Phone - Mobile' },
      ...{ phone2: 'Person - Phone - Work', phone3: 'Person - Phone - Home', email1: 'Person - Email - Work' },
      ...{ email2: 'Person - Email - Home', email3: 'Person - Email - Other', jobTitle: 'Person - Job title' },
      ...{ 'address.line1': 'Person - Postal address', birthDate: 'Person - Birthday', description: 'Person - Notes' },
    },
  },
  {
    product: 'Pipedrive, German',
    header: named(`Person - ID,Person - Name,Person - Organisation,Person - Telefon - Büro,Person - Telefon - Privat,
      Person - Telefon - Mobil,Person - Telefon - Sonstige,Person - E-Mail - Büro,Person - E-Mail - Privat,
      Person - E-Mail - Sonstige,Person - Besitzer,Person - Offene Deals`),
    mapping: {
      ...{ externalId: 'Person - ID', lastName: 'Person - Name', companyName: 'Person - Organisation' },
      ...{ phone1: 'Person - Telefon - Mobil', phone2: 'Person - Telefon - Büro', phone3: 'Person - Telefon - Privat' },
      ...{ email1: 'Person - E-Mail - Büro', email2: 'Person - E-Mail - Privat', email3: 'Person - E-Mail - Sonstige' },
    },
  },
  {
    product: 'Pipedrive, Russian',
    header: named(`Контактное лицо - ID,Контактное лицо - Имя,Контактное лицо - Фамилия,Контактное лицо - Организация,
      Контактное лицо - Метка,Контактное лицо - Телефон - Рабочий,Контактное лицо - Телефон - Домашний,
      Контактное лицо - Телефон - Мобильный,Контактное лицо - Телефон - Другой,
      Контактное лицо - Электронная почта - Рабочая,Контактное лицо - Электронная почта - Домашняя,
      Контактное лицо - Должность,Контактное лицо - Владелец`),
    mapping: {
      ...{ externalId: 'Контактное лицо - ID', firstName: 'Контактное лицо - Имя' },
      ...{ lastName: 'Контактное лицо - Фамилия', companyName: 'Контактное лицо - Организация' },
      ...{ tags: 'Контактное лицо - Метка', phone1: 'Контактное лицо - Телефон - Мобильный' },
      ...{ phone2: 'Контактное лицо - Телефон - Рабочий', phone3: 'Контактное лицо - Телефон - Домашний' },
      ...{ email1: 'Контактное лицо - Электронная почта - Рабочая' },
      ...{ email2: 'Контактное лицо - Электронная почта - Домашняя', jobTitle: 'Контактное лицо - Должность' },
    },
  },
  {
    product: 'Pipedrive, organizations',
    entityType: 'companies',
    header:
      named(`Organization - ID,Organization - Name,Organization - Label,Organization - Address,Organization - Website,
      Organization - Industry,Organization - Number of employees,Organization - People,Organization - Owner`),
    mapping: {
      ...{ externalId: 'Organization - ID', name: 'Organization - Name', tags: 'Organization - Label' },
      ...{ 'address.line1': 'Organization - Address', website1: 'Organization - Website' },
      ...{ industry: 'Organization - Industry', employeesCount: 'Organization - Number of employees' },
    },
  },
]

const salesforce: readonly KnownFile[] = [
  {
    product: 'Salesforce, a report in English',
    header:
      named(`Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Mailing State/Province,
      Mailing Zip/Postal Code,Mailing Country,Phone,Fax,Mobile,Email,Account Owner,Contact Owner,Lead Source,Birthdate,
      Department,Contact ID,Account ID`),
    cells: owners,
    mapping: {
      ...{ firstName: 'First Name', lastName: 'Last Name', jobTitle: 'Title', companyName: 'Account Name' },
      ...{ 'address.line1': 'Mailing Street', 'address.city': 'Mailing City', 'address.country': 'Mailing Country' },
      ...{ 'address.region': 'Mailing State/Province', 'address.postalCode': 'Mailing Zip/Postal Code' },
      ...{ phone1: 'Mobile', phone2: 'Phone', email1: 'Email', source: 'Lead Source', birthDate: 'Birthdate' },
      externalId: 'Contact ID',
    },
  },
  {
    product: 'Salesforce, the export of all data',
    header:
      named(`Id,IsDeleted,AccountId,LastName,FirstName,Salutation,MiddleName,Name,OtherStreet,OtherCity,MailingStreet,
      MailingCity,MailingState,MailingPostalCode,MailingCountry,Phone,Fax,MobilePhone,HomePhone,OtherPhone,
      AssistantPhone,ReportsToId,Email,Title,Department,LeadSource,Birthdate,Description,OwnerId,CreatedDate`),
    mapping: {
      ...{
        externalId: 'Id',
        lastName: 'LastName',
        firstName: 'FirstName',
        middleName: 'MiddleName',
        jobTitle: 'Title',
      },
      ...{ 'address.line1': 'MailingStreet', 'address.city': 'MailingCity', 'address.region': 'MailingState' },
      ...{ 'address.postalCode': 'MailingPostalCode', 'address.country': 'MailingCountry', email1: 'Email' },
      ...{ phone1: 'MobilePhone', phone2: 'Phone', phone3: 'HomePhone', source: 'LeadSource', birthDate: 'Birthdate' },
      description: 'Description',
    },
  },
  {
    product: 'Salesforce, a report in German',
    header: named(`Anrede,Vorname,Nachname,Titel,Accountname,Postanschrift (Straße),Postanschrift (Ort),
      Postanschrift (Bundesland/Provinz),Postanschrift (PLZ),Postanschrift (Land),Telefon,Fax,Mobil,E-Mail,Lead-Quelle,
      Geburtsdatum,Kontaktinhaber`),
    mapping: {
      ...{ firstName: 'Vorname', lastName: 'Nachname', jobTitle: 'Titel', companyName: 'Accountname' },
      ...{ 'address.line1': 'Postanschrift (Straße)', 'address.city': 'Postanschrift (Ort)' },
      ...{ 'address.region': 'Postanschrift (Bundesland/Provinz)', 'address.postalCode': 'Postanschrift (PLZ)' },
      ...{ 'address.country': 'Postanschrift (Land)', phone1: 'Mobil', phone2: 'Telefon', email1: 'E-Mail' },
      ...{ source: 'Lead-Quelle', birthDate: 'Geburtsdatum' },
    },
  },
  {
    product: 'Salesforce, a report in Russian',
    header: named(`Обращение,Имя,Фамилия,Должность,Имя организации,Почтовый адрес - улица,Почтовый адрес - город,
      Почтовый адрес - область,Почтовый адрес - индекс,Почтовый адрес - страна,Телефон,Факс,Мобильный телефон,
      Электронная почта,Источник интереса,Дата рождения`),
    mapping: {
      ...{ firstName: 'Имя', lastName: 'Фамилия', jobTitle: 'Должность', companyName: 'Имя организации' },
      ...{ 'address.line1': 'Почтовый адрес - улица', 'address.city': 'Почтовый адрес - город' },
      ...{ 'address.region': 'Почтовый адрес - область', 'address.postalCode': 'Почтовый адрес - индекс' },
      ...{ 'address.country': 'Почтовый адрес - страна', phone1: 'Мобильный телефон', phone2: 'Телефон' },
      ...{ email1: 'Электронная почта', source: 'Источник интереса', birthDate: 'Дата рождения' },
    },
  },
  {
    product: 'Salesforce, accounts',
    entityType: 'companies',
    header:
      named(`Id,Name,Type,ParentId,BillingStreet,BillingCity,BillingState,BillingPostalCode,BillingCountry,Phone,Fax,
      AccountNumber,Website,Industry,AnnualRevenue,NumberOfEmployees,Description,OwnerId`),
    mapping: {
      ...{ externalId: 'Id', name: 'Name', 'address.line1': 'BillingStreet', 'address.city': 'BillingCity' },
      ...{ 'address.region': 'BillingState', 'address.postalCode': 'BillingPostalCode' },
      ...{ 'address.country': 'BillingCountry', phone1: 'Phone', website1: 'Website', industry: 'Industry' },
      ...{ employeesCount: 'NumberOfEmployees', description: 'Description' },
    },
  },
]

const zoho: readonly KnownFile[] = [
  {
    product: 'Zoho, English',
    header:
      named(`Record Id,Contact Owner.id,Contact Owner,Lead Source,First Name,Last Name,Account Name.id,Account Name,
      Vendor Name.id,Vendor Name,Email,Title,Department,Phone,Home Phone,Other Phone,Fax,Mobile,Date of Birth,Assistant,
      Asst Phone,Reports To.id,Reports To,Mailing Street,Other Street,Mailing City,Other City,Mailing State,Other State,
      Mailing Zip,Other Zip,Mailing Country,Other Country,Description,Skype ID,Secondary Email,Twitter,Tag`),
    cells: { ...owners, Tag: 'Hot' },
    mapping: {
      ...{ externalId: 'Record Id', source: 'Lead Source', firstName: 'First Name', lastName: 'Last Name' },
      ...{ companyName: 'Account Name', email1: 'Email', email2: 'Secondary Email', jobTitle: 'Title' },
      ...{ phone1: 'Mobile', phone2: 'Phone', phone3: 'Home Phone', birthDate: 'Date of Birth' },
      ...{ 'address.line1': 'Mailing Street', 'address.city': 'Mailing City', 'address.region': 'Mailing State' },
      ...{ 'address.postalCode': 'Mailing Zip', 'address.country': 'Mailing Country', description: 'Description' },
    },
  },
  {
    product: 'Zoho, German',
    header:
      named(`Datensatz-ID,Kontaktinhaber,Lead-Quelle,Vorname,Nachname,Unternehmensname,E-Mail,Titel,Abteilung,Telefon,
      Telefon (Privat),Sonstiges Telefon,Fax,Mobil,Geburtsdatum,Postanschrift - Straße,Postanschrift - Ort,
      Postanschrift - Bundesland,Postanschrift - PLZ,Postanschrift - Land,Beschreibung,Zweite E-Mail`),
    mapping: {
      ...{ externalId: 'Datensatz-ID', source: 'Lead-Quelle', firstName: 'Vorname', lastName: 'Nachname' },
      ...{ companyName: 'Unternehmensname', email1: 'E-Mail', email2: 'Zweite E-Mail', jobTitle: 'Titel' },
      ...{ phone1: 'Mobil', phone2: 'Telefon', phone3: 'Telefon (Privat)', birthDate: 'Geburtsdatum' },
      ...{ 'address.line1': 'Postanschrift - Straße', 'address.city': 'Postanschrift - Ort' },
      ...{ 'address.region': 'Postanschrift - Bundesland', 'address.postalCode': 'Postanschrift - PLZ' },
      ...{ 'address.country': 'Postanschrift - Land', description: 'Beschreibung' },
    },
  },
  {
    product: 'Zoho, Russian',
    header:
      named(`Идентификатор,Ответственный,Источник обращения,Имя,Фамилия,Название контрагента,Эл. почта,Должность,Отдел,
      Телефон,Домашний телефон,Другой телефон,Факс,Мобильный,Дата рождения,Улица (почтовый адрес),
      Город (почтовый адрес),Область (почтовый адрес),Индекс (почтовый адрес),Страна (почтовый адрес),Описание,
      Дополнительный адрес эл. почты,Тег`),
    cells: { Ответственный: 'olga@example.com' },
    mapping: {
      ...{ externalId: 'Идентификатор', ownerEmail: 'Ответственный', source: 'Источник обращения' },
      ...{ firstName: 'Имя', lastName: 'Фамилия', companyName: 'Название контрагента', email1: 'Эл. почта' },
      ...{ email2: 'Дополнительный адрес эл. почты', jobTitle: 'Должность', phone1: 'Мобильный', phone2: 'Телефон' },
      ...{ phone3: 'Домашний телефон', birthDate: 'Дата рождения', 'address.line1': 'Улица (почтовый адрес)' },
      ...{ 'address.city': 'Город (почтовый адрес)', 'address.region': 'Область (почтовый адрес)' },
      ...{ 'address.postalCode': 'Индекс (почтовый адрес)', 'address.country': 'Страна (почтовый адрес)' },
      ...{ description: 'Описание', tags: 'Тег' },
    },
  },
  {
    product: 'Zoho, accounts',
    entityType: 'companies',
    header:
      named(`Record Id,Account Owner.id,Account Owner,Rating,Account Name,Phone,Account Site,Fax,Parent Account,Website,
      Ticker Symbol,Account Type,Ownership,Industry,Employees,Annual Revenue,SIC Code,Tag,Billing Street,Shipping Street,
      Billing City,Shipping City,Billing State,Shipping State,Billing Code,Shipping Code,Billing Country,Description`),
    mapping: {
      ...{ externalId: 'Record Id', name: 'Account Name', phone1: 'Phone', website1: 'Website', industry: 'Industry' },
      ...{ employeesCount: 'Employees', tags: 'Tag', 'address.line1': 'Billing Street' },
      ...{ 'address.city': 'Billing City', 'address.region': 'Billing State', 'address.postalCode': 'Billing Code' },
      ...{ 'address.country': 'Billing Country', description: 'Description' },
    },
  },
]

/** The columns that CRM products give to their exports. HubSpot has no Russian. */
export const crmProducts: readonly KnownFile[] = [...hubSpot, ...pipedrive, ...salesforce, ...zoho]
