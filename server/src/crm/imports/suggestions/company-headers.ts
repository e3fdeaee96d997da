import { listed } from './listed.ts'

/** Headers of what only companies have. */
export const companyHeaders = {
  name: listed(
    `company name, name, account name, company, organization name, organization, org, fn, firma, firmenname,
     unternehmensname, name des unternehmens, unternehmen, accountname, organisation, название, название компании,
     название организации, имя организации, название контрагента, контрагент, компания, организация, наименование`,
  ),
  legalName: listed(
    'legal name, registered name, juristischer name, firmierung, юридическое название, полное наименование',
  ),
  taxId: listed('tax id, vat, vat id, vat number, tax number, ust idnr, ust id, umsatzsteuer id, steuernummer, инн'),
  registrationNumber: listed('registration number, company number, handelsregisternummer, регистрационный номер, огрн'),
  industry: listed('industry, sector, branche, отрасль, сфера деятельности'),
  employeesCount: listed(
    `number of employees, employees, no of employees, employee count, number of employees # ranges, mitarbeiterzahl,
     anzahl der mitarbeiter, mitarbeiter, число сотрудников, количество сотрудников, сотрудники`,
  ),
  website: listed(
    `website, website url, web page, website # value, url, company domain name, webseite, web seite, website adresse,
     homepage, internetseite, сайт, веб сайт, веб страница`,
  ),
  externalId: listed(
    `external id, record id, record id company, account id, company id, organization id, id, uid, datensatz id,
     unternehmen id, внешний ключ, идентификатор, код организации`,
  ),
}
