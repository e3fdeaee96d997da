import os
from uuid import UUID, uuid4

from crm.api.capabilities import capabilities_get
from crm.api.changes import changes_cursor, changes_list
from crm.api.companies import companies_upsert
from crm.api.contacts import contacts_list
from crm.api.deals import deals_create, deals_move
from crm.client import AuthenticatedClient
from crm.models import (
    CapabilitiesAnswer, ChangeEventPage, CompanyUpsert, CompanyUpsertAnswer, ContactPage, DealCreate, DealMove, ErrorAnswer,
    FeedPositionAnswer, PipelineStageType, PreconditionRequiredFailure, Reference, WrittenDealAnswer,
)
from shop_agent import provide_agent

client = AuthenticatedClient(base_url=os.environ["CRM_BASE_URL"], token=os.environ["CRM_TOKEN"])


def won_stage() -> UUID:
    known = capabilities_get.sync(client=client)
    assert isinstance(known, CapabilitiesAnswer)
    stages = [stage for pipeline in known.data.directories.pipelines if pipeline.is_default for stage in pipeline.stages]
    return next(stage.uuid for stage in stages if stage.type_ == PipelineStageType.WON)


position = changes_cursor.sync(client=client)
page = contacts_list.sync(client=client, limit=10)
assert isinstance(position, FeedPositionAnswer) and isinstance(page, ContactPage)
contacts = len(page.data)
while page.meta.next_cursor is not None:
    page = contacts_list.sync(client=client, limit=10, cursor=page.meta.next_cursor)
    assert isinstance(page, ContactPage)
    contacts += len(page.data)

company = CompanyUpsert(external_id="erp-python", industry="Furniture")
upserted = companies_upsert.sync(client=client, body=company, idempotency_key=str(uuid4()))
if isinstance(upserted, ErrorAnswer) and isinstance(upserted.error, PreconditionRequiredFailure):
    company.expected_version = upserted.error.details.current_version
    upserted = companies_upsert.sync(client=client, body=company, idempotency_key=str(uuid4()))
assert isinstance(upserted, CompanyUpsertAnswer)

deal = DealCreate(title="Two hundred chairs", companies=[Reference(id=upserted.data.id)])
created = deals_create.sync(client=client, body=deal, idempotency_key=str(uuid4()))
assert isinstance(created, WrittenDealAnswer)
move = DealMove(expected_version=created.data.version, stage_uuid=won_stage())
moved = deals_move.sync(created.data.id, client=client, body=move, idempotency_key=str(uuid4()))
assert isinstance(moved, WrittenDealAnswer)

cursor, kinds, more = position.data.cursor, list[str](), True
while more:
    changes = changes_list.sync(client=client, after=cursor)
    assert isinstance(changes, ChangeEventPage)
    kinds += [event.kind for event in changes.data]
    cursor, more = changes.meta.next_cursor, changes.meta.has_more

provide_agent(client, "erp-python")

print(f"{contacts} contacts, company at version {upserted.data.version}, deal {moved.data.status}:", *kinds)
