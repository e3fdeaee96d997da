import { headersIn } from './headers-in.ts'

/** Headers of what only companies have. */
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
