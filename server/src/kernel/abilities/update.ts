import { Refusal } from '../errors/index.ts'
import { mutate } from '../mutation.ts'
import type { Operation } from '../operation.ts'
import type { Resource } from '../record/resource.ts'
import { decideUpdate } from '../write/decide.ts'
import { needRecordWrite } from '../write/record-needs.ts'
import { basePath } from './ability.ts'
import { Followers } from './nested/follow.ts'
import { bodyOf, decisionOf, writing } from './write-record.ts'

/** `PATCH /<kind>/:id`: merge-patch with compare-and-set; 200 with the record, unchanged when nothing changes. */
export function update(resource: Resource): Operation {
  return {
    ...writing(resource),
    id: `${resource.plural}.update`,
    method: 'PATCH',
    path: `${basePath(resource)}/{id}`,
    summary: `Update a ${resource.kind}`,
    description: 'Absent members stay as they are, null clears, arrays replace. A change of nothing keeps the version.',
    success: [200],
    body: resource.input.patch,
    async execute(request, services) {
      const { id = '' } = request.path
      const input = bodyOf(request)
      const followers = new Followers(resource, services.nestedResources)
      return mutate(
        {
          needs(needs, directory) {
            followers.begin(directory)
            needRecordWrite(needs, resource, input, directory, services.resources, id)
          },
          further: (needs, work) => followers.load(needs, work, [{ id, input }]),
          decide(work, write) {
            const decided = decideUpdate(resource, id, input, '', work, write)
            const step = followers.follow(decided, '', work, write)
            return step instanceof Refusal ? step : decisionOf(resource, step, work, write, {})
          },
        },
        request,
        services,
      )
    },
  }
}
