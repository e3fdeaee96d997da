-- Products in blocks of some two thousand, in the order in which they came: until when, and how many. Changed together with the
-- products, so that a page in the middle of a set is found without counting what stands before it.
alter table product_sets add column product_blocks jsonb not null default '[]';

update product_sets s set product_blocks = b.blocks
  from (select f.organization_id, f.product_set_id, jsonb_agg(jsonb_build_array(f.until, f.records) order by f.until) as blocks
          from (select r.organization_id, r.product_set_id,
                       to_char(max(r.created_at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as until,
                       count(*) as records
                  from (select p.organization_id, p.product_set_id, p.created_at,
                               (rank() over (partition by p.organization_id, p.product_set_id order by p.created_at) - 1) / 2000
                                 as block
                          from products p) as r
                 group by r.organization_id, r.product_set_id, r.block) as f
         group by f.organization_id, f.product_set_id) as b
 where s.organization_id = b.organization_id and s.id = b.product_set_id;
