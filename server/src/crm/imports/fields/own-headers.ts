/** The headers in a comma-separated text, the best first. */
export function headersIn(text: string): readonly string[] {
  return text.split(',').map(header => header.trim())
}

/** Headers of fields that only persons have. */
export const personHeaders = {
  firstName: headersIn('first name, given name, firstname, n given, vorname, имя'),
  middleName: headersIn(
    'middle name, middlename, additional name, n additional, weitere vornamen, zweiter vorname, отчество, второе имя',
  ),
  lastName: headersIn(
    `last name, family name, surname, lastname, n family, nachname, familienname, фамилия, full name, display name,
     formatted name, contact name, fn, name, vollständiger name, полное имя, отображаемое имя, фио`,
  ),
  jobTitle: headersIn(
    `job title, jobtitle, jobtitel, organization title, organization # title, position, stellenbezeichnung,
     berufsbezeichnung, funktion, должность, title, role, titel`,
  ),
  birthDate: headersIn(
    'birthday, birthdate, date of birth, bday, geburtstag, geburtsdatum, день рождения, дата рождения',
  ),
  companyName: headersIn(
    `company, company name, organization name, organization # name, organization, account name, associated company,
     org, firma, firmenname, name des unternehmens, unternehmensname, unternehmen, organisation, accountname, компания,
     организация, название компании, название организации, имя организации, контрагент, название контрагента`,
  ),
  externalId: headersIn(
    `external id, record id, record id contact, contact id, person id, lead id, id, uid, datensatz id, kontakt id,
     внешний ключ, идентификатор, код контакта`,
  ),
  ownerEmail: headersIn(
    `owner email, owner e mail, contact owner email, contact owner, owner, lead owner, zuständiger, besitzer, inhaber,
     kontaktinhaber, zuständiger mitarbeiter, ответственный, владелец`,
  ),
}

/** Headers of fields that only companies have. */
export const companyHeaders = {
  name: headersIn(
    `company name, name, account name, company, organization name, organization, org, fn, firma, firmenname,
     unternehmensname, name des unternehmens, unternehmen, accountname, organisation, название, название компании,
     название организации, имя организации, название контрагента, контрагент, компания, организация, наименование`,
  ),
  legalName: headersIn(
    'legal name, registered name, juristischer name, firmierung, юридическое название, полное наименование',
  ),
  taxId: headersIn('tax id, vat, vat id, vat number, tax number, ust idnr, ust id, umsatzsteuer id, steuernummer, инн'),
  registrationNumber: headersIn(
    'registration number, company number, handelsregisternummer, регистрационный номер, огрн',
  ),
  industry: headersIn('industry, sector, branche, отрасль, сфера деятельности'),
  employeesCount: headersIn(
    `number of employees, employees, no of employees, employee count, number of employees # ranges, mitarbeiterzahl,
     anzahl der mitarbeiter, mitarbeiter, число сотрудников, количество сотрудников, сотрудники`,
  ),
  website: headersIn(
    `website, website url, web page, website # value, url, company domain name, webseite, web seite, website adresse,
     homepage, internetseite, сайт, веб сайт, веб страница`,
  ),
  externalId: headersIn(
    `external id, record id, record id company, account id, company id, organization id, id, uid, datensatz id,
     unternehmen id, внешний ключ, идентификатор, код организации`,
  ),
}
