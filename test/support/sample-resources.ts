import { defineNested, defineResource } from '../../server/src/kernel/abilities/index.ts'
import {
  anonymizedAt,
  computed,
  contactData,
  customFields,
  optionalReference,
  optionalText,
  orderedLinks,
  personal,
  placeInSet,
  requiredText,
  tagIds,
  uniqueReference,
  violates,
} from '../../server/src/kernel/schema/index.ts'

// Kinds that the product does not have, which together use everything that a kind can declare, for tests of behaviour common to all kinds.

const scopes = { read: 'crm_contacts_read', write: 'crm_contacts_write', delete: 'crm_contacts_delete' } as const

/** A person. */
export const singer = defineResource({
  kind: 'singer',
  plural: 'singers',
  title: 'Singer',
  scopes,
  fields: {
    name: personal(requiredText({ max: 100 })),
    voice: optionalText({ max: 100 }),
    contactData: personal(contactData({ birthDate: true })),
    anonymizedAt,
  },
})

/** The target of references to a band: the resource itself is not defined yet. */
const itself = {
  kind: 'band',
  table: { name: 'bands' },
  scopes: { read: 'crm_contacts_read' },
  roles: { anonymizedAt: 'anonymizedAt' },
}

/** Has lists of every kind, custom fields, and an internal field that counts the changes of its gigs. */
export const band = defineResource({
  kind: 'band',
  plural: 'bands',
  title: 'Band',
  scopes,
  fields: {
    name: requiredText({ max: 100 }),
    country: { ...optionalText({ max: 2 }), createOnly: true, hint: 'Found a new one' },
    founder: { ...optionalText({ max: 100 }), createOnly: true },
    remark: optionalText({ max: 100 }),
    secret: { ...computed<string | null>(null, { column: 'text', schema: {} }), output: {}, present: () => ({}) },
    gigs: computed<number>(0, { column: 'integer', schema: { type: 'integer' } }),
    contactData: contactData({ birthDate: false }),
    customFields: customFields(),
    tagIds: tagIds(),
    fans: orderedLinks({
      component: 'SongLink',
      to: singer,
      table: 'band_fans',
      ownerColumn: 'band_id',
      targetColumn: 'singer_id',
      idsMember: 'fanIds',
      member: 'fans',
      idMember: 'fanId',
      most: 3,
    }),
    leader: optionalReference({ to: singer, idMember: 'leaderId', column: 'leader_id', description: 'Who leads.' }),
    rival: optionalReference({ to: itself, idMember: 'rivalId', column: 'rival_id', description: 'Who else.' }),
  },
  rules: {
    settle: (next, { input }) =>
      input.name === 'forbidden' ? violates('/name', 'taste', 'Not this one') : { ...next, name: next.name.trim() },
    relinked: next =>
      next.leader === null && next.gigs > 0
        ? violates('/leader', 'leader_required', 'Who leads?', { reason: 'leader_required' })
        : next,
    reflect: (state, steps) => ({
      ...state,
      gigs: state.gigs + steps.filter(({ resource }) => resource.kind === 'gig').length,
    }),
  },
})

/** Belongs to a band; their number is limited. */
export const gig = defineNested({
  kind: 'gig',
  plural: 'gigs',
  title: 'Gig',
  table: 'gigs',
  part: 'gigs',
  parent: band,
  parentMember: 'bandId',
  most: 2,
  order: { field: 'createdAt', direction: 'asc' },
  fields: { place: optionalText({ max: 100 }) },
})

/** An ordered link of a band to a singer. */
export const member = defineNested({
  kind: 'member',
  plural: 'members',
  title: 'Member',
  table: 'members',
  part: 'members',
  parent: band,
  parentMember: 'bandId',
  most: null,
  order: 'place',
  fields: {
    singer: uniqueReference({
      to: singer,
      idMember: 'singerId',
      column: 'singer_id',
      description: 'Who.',
    }),
    instrument: personal(optionalText({ max: 100 })),
    position: placeInSet('The place on the stage.'),
  },
})
