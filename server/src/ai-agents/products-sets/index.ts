import {
  create,
  get,
  listAll,
  type Module,
  namedCreate,
  namedPage,
  namedRemove,
  namedReplace,
  removeUsed,
  update,
} from '../../kernel/index.ts'
import { product } from './product.ts'
import { productSet } from './product-set.ts'
import { agentsOfSet } from './users.sql.ts'

export { productSet }

export const productsSets: Module = {
  resources: [productSet, product],
  operations: [
    listAll(productSet, { users: agentsOfSet }),
    get(productSet),
    create(productSet),
    update(productSet),
    removeUsed(productSet, { asks: true }),
    namedPage(product, 'productBlocks'),
    namedCreate(product),
    namedReplace(product),
    namedRemove(product),
  ],
}
