-- What belongs to a deal: items and activities. They go with it; its events stay, as they always did.

create table deal_items (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deal_id uuid not null,
  name text not null,
  sku text,
  product_id text,
  unit text,
  quantity numeric not null,
  -- Sums of money are kept with the zeros that they are shown with, as the currency of the deal has digits.
  price numeric not null,
  discount_type text not null check (discount_type in ('percent', 'amount')),
  discount numeric not null,
  tax_mode text not null check (tax_mode in ('none', 'exclusive', 'inclusive')),
  tax_rate numeric not null,
  position integer not null,
  subtotal numeric not null,
  discount_amount numeric not null,
  tax_amount numeric not null,
  total numeric not null,
  foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade
) with (fillfactor = 85);
create index deal_items_in_order on deal_items (organization_id, deal_id, position, id);
alter table deal_items add primary key (organization_id, id);

create table deal_activities (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deal_id uuid not null,
  type text not null,
  subject text,
  body text,
  direction text,
  occurred_at timestamptz(3) not null,
  duration_seconds integer,
  outcome text,
  contact_id uuid,
  author_uuid uuid,
  application_id uuid,
  foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade,
  foreign key (organization_id, contact_id) references contacts (organization_id, id)
) with (fillfactor = 85);
create index deal_activities_in_order on deal_activities (organization_id, deal_id, occurred_at, id);
create index deal_activities_of_contact on deal_activities (organization_id, contact_id, id)
  where contact_id is not null;
alter table deal_activities add primary key (organization_id, id);
