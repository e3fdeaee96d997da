from uuid import UUID, uuid4

from crm.api.agents import agents_create, agents_list
from crm.api.knowledge_bases import knowledge_bases_create, knowledge_bases_list
from crm.api.products_sets import (
    products_sets_create, products_sets_list, products_sets_products_create, products_sets_products_replace,
)
from crm.client import AuthenticatedClient
from crm.models import (
    AgentCreate, AgentList, KnowledgeBaseCreate, KnowledgeBaseList, ListedProductSetList, NotFoundFailure, ProductCreate,
    ProductSetCreate, StatusErrorAnswer, WrittenAgentAnswer, WrittenKnowledgeBaseAnswer, WrittenProductAnswer,
    WrittenProductSetAnswer,
)


def once() -> str:
    return str(uuid4())


def provide_agent(client: AuthenticatedClient, name: str) -> None:
    """Creates an agent that knows the products and rules of a shop. It is idempotent: repeated runs create no duplicates."""
    sets, bases = [provide_product_set(client, name)], [provide_knowledge_base(client, name)]
    agents = agents_list.sync(client=client)
    assert isinstance(agents, AgentList)
    if any(agent.name == name for agent in agents.data):
        return
    agent = AgentCreate(name=name, instructions="Answer briefly.", product_set_ids=sets, knowledge_base_ids=bases)
    assert isinstance(agents_create.sync(client=client, body=agent, idempotency_key=once()), WrittenAgentAnswer)


def provide_product_set(client: AuthenticatedClient, name: str) -> UUID:
    sets = products_sets_list.sync(client=client)
    assert isinstance(sets, ListedProductSetList)
    set_id = next((each.id for each in sets.data if each.name == name), None)
    if set_id is None:
        created = products_sets_create.sync(client=client, body=ProductSetCreate(name=name), idempotency_key=once())
        assert isinstance(created, WrittenProductSetAnswer)
        set_id = created.data.id
    product = ProductCreate(id="oak-chair", name="Oak chair", price="149.00")
    written = products_sets_products_replace.sync(
        set_id, "oak-chair", client=client, body=product, idempotency_key=once()
    )
    if isinstance(written, StatusErrorAnswer) and isinstance(written.error, NotFoundFailure):
        written = products_sets_products_create.sync(set_id, client=client, body=product, idempotency_key=once())
    assert isinstance(written, WrittenProductAnswer)
    return set_id


def provide_knowledge_base(client: AuthenticatedClient, name: str) -> UUID:
    bases = knowledge_bases_list.sync(client=client)
    assert isinstance(bases, KnowledgeBaseList)
    base_id = next((each.id for each in bases.data if each.name == name), None)
    if base_id is None:
        created = knowledge_bases_create.sync(client=client, body=KnowledgeBaseCreate(name=name), idempotency_key=once())
        assert isinstance(created, WrittenKnowledgeBaseAnswer)
        base_id = created.data.id
    # The generator treats a file in a form as text, so this request is written by hand.
    put = client.get_httpx_client().put(
        f"/api/v1/ai-agents/external/knowledge-bases/{base_id}/files/returns",
        files={"file": ("returns.txt", b"Chairs can be returned within 30 days.")},
        headers={"Idempotency-Key": once()},
    )
    put.raise_for_status()
    return base_id
