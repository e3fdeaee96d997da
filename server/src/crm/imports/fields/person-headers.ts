import { headersIn } from './headers-in.ts'

/** Headers of what only persons have. */
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
