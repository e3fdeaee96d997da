import { bounds, externalKey, type Included, limits } from '../../kernel/index.ts'
import { booleanSchema, listSchema, objectSchema, uuidSchema } from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'

/**
 * `include=companies` of `GET /contacts/:id`: the companies that the contact is linked with, those first whose primary contact it is, then
 * by name (contract section 7). Reads 1,000 links and shows 100 companies at most.
 */
export const companiesOfContact: Included = {
  word: 'companies',
  description: 'What `meta` shows beside the contact',
  scope: 'crm_companies_read',
  members: {
    companies: listSchema(
      objectSchema('ContactCompany', {
        id: uuidSchema,
        externalId: { type: ['string', 'null'], description: 'Your key of the company.' },
        name: { type: 'string', description: 'The name of the company.', example: 'Northwind Traders' },
        role: { type: ['string', 'null'], description: 'What the contact is to the company.', example: 'Buyer' },
        isPrimary: { type: 'boolean', description: 'Whether the company names the contact first.', example: true },
      }),
      'With `include=companies`: the companies that the contact is linked with, those first whose primary contact it is, then by name.',
    ),
    companiesTruncated: booleanSchema(
      `With \`include=companies\`: whether there are more than the ${limits.listMax} that are shown.`,
      false,
    ),
  },
  async read(id, { caller, reader }, { database }) {
    const values = [caller.organization.id, caller.keysOf, id, bounds.contactLinks.most + 1, limits.listMax + 1]
    const companies = await database.query(selectCompanies, values, reader)
    return { companies: companies.slice(0, limits.listMax), companiesTruncated: companies.length > limits.listMax }
  },
}

// $1 organization, $2 application, $3 contact, $4 most links read, $5 most companies. Keys are looked up for the companies that are shown.
const selectCompanies = statement(
  'select_companies_of_contact',
  `select c.id, ${externalKey('company', 'c.id')}, c.name, c.role, c.is_primary as "isPrimary"
     from (select c.id, c.name, l.role,
                  not exists (select from company_contacts b
                               where b.organization_id = $1 and b.company_id = l.company_id
                                 and (b.rank, b.id) < (l.rank, l.id)) as is_primary
             from (select x.* from company_contacts x
                    where x.organization_id = $1 and x.contact_id = $3
                   offset 0 limit $4::integer) as l
            cross join lateral (
              select x.id, x.name from companies x where x.organization_id = $1 and x.id = l.company_id offset 0) as c
            order by is_primary desc, lower(c.name), c.name, c.id limit $5::integer) as c
    order by c.is_primary desc, lower(c.name), c.name, c.id`,
)
