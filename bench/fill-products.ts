import { namedId } from '../server/src/kernel/schema/index.ts'
import { type Database, statement } from '../server/src/kernel/sql/index.ts'

/** The body that creates a product, or replaces it without a change: some have no price or picture, as in catalogues. */
export function productBody(number: number) {
  return {
    name: `Tea pot ${number}`,
    sku: `TP-${number}`,
    description: `Glazed porcelain, ${200 + (number % 800)} ml. Holds the heat for an hour; the lid stays in its place.`,
    price: number % 10 === 0 ? null : `${10 + (number % 90)}.90`,
    currency: null,
    availability: number % 7 === 0 ? 'out_of_stock' : 'in_stock',
    url: `https://shop.example.com/tea-pots/${number}`,
    imageUrls: number % 5 === 0 ? [] : [`https://shop.example.com/pictures/${number}.jpg`],
    attributes: { material: 'porcelain', colour: ['white', 'blue', 'green'][number % 3] ?? 'white' },
  }
}

/** The id that the shop chose for a product. */
export const productId = (number: number) => `tea-pot-${number}`

// $6: how many were created before, one per second.
const fillProductRows = statement(
  'bench_fill_products',
  `insert into products (organization_id, id, version, created_at, updated_at, product_set_id, product_id, name, sku, description,
     price, availability, url, image_urls, attributes)
   select $1, made.id, 1, made.at, made.at, $2, made.name, made.body ->> 'name', made.body ->> 'sku',
          made.body ->> 'description', (made.body ->> 'price')::numeric, made.body ->> 'availability', made.body ->> 'url',
          made.body -> 'imageUrls', made.body -> 'attributes'
     from (select id, name, body, timestamptz '2026-01-01Z' + ($6::integer + place) * interval '1 second' as at
             from unnest($3::uuid[], $4::text[], $5::jsonb[]) with ordinality as each(id, name, body, place)) as made`,
)

// Blocks as the migration creates them for existing products.
const countProducts = statement(
  'bench_count_products',
  `update product_sets set products_count = $3, product_blocks = b.blocks
     from (select jsonb_agg(jsonb_build_array(f.until, f.records) order by f.until) as blocks
             from (select to_char(max(r.created_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as until,
                          count(*) as records
                     from (select p.created_at, (rank() over (order by p.created_at) - 1) / 2000 as block from products p
                            where p.organization_id = $1 and p.product_set_id = $2) as r
                    group by r.block) as f) as b
    where organization_id = $1 and id = $2`,
)

const portion = 2000

/** Fills an empty product set with that many products, one after another. */
export async function fillProducts(
  database: Database,
  organizationId: string,
  setId: string,
  products: number,
): Promise<void> {
  for (let first = 0; first < products; first += portion) {
    const numbers = Array.from({ length: Math.min(portion, products - first) }, (_, index) => first + index)
    const names = numbers.map(productId)
    const ids = names.map(name => namedId(setId, name))
    const bodies = numbers.map(number => JSON.stringify(productBody(number)))
    await database.search(fillProductRows, [organizationId, setId, ids, names, bodies, first])
  }
  await database.search(countProducts, [organizationId, setId, products])
  await database.script('vacuum analyze products, product_sets')
}
