import { describe, expect, it } from 'vitest'
import { aRecord } from '../../../../test/support/decisions.ts'
import { band, gig, member, singer } from '../../../../test/support/sample-resources.ts'
import { optionalText, personal } from '../schema/index.ts'
import { personsIn } from './rows.ts'

/** A kind at the top that is no person, and has something personal nevertheless. */
const remarked = { ...band, fields: { ...band.fields, remark: personal(optionalText({ max: 100 })) } }

describe('the persons whom an answer is about', () => {
  it('are those shown, and those described by a part, each once', () => {
    const linked = (person: string | null) => ({
      resource: member,
      record: aRecord(member, { id: 'm', singer: person }),
    })
    expect(
      personsIn([
        ...[
          { resource: singer, record: aRecord(singer, { id: 'nina' }) },
          linked('etta'),
          linked('nina'),
          linked(null),
        ],
        ...[
          { resource: gig, record: aRecord(gig) },
          { resource: remarked, record: aRecord(remarked, { leader: 'ella' }) },
        ],
      ]),
    ).toEqual(['nina', 'etta'])
  })

  it('do not include a person about whom a part keeps nothing personal', () => {
    const { instrument: _instrument, ...fields } = member.fields
    const record = aRecord(member, { singer: 'etta' })
    expect(personsIn([{ resource: { ...member, fields }, record }])).toEqual([])
  })
})
