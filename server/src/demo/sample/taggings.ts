type Plural = 'companies' | 'contacts' | 'deals' | 'tasks'

/** The names of the tags of sample records, by the position of the record. */
export const taggings: Readonly<Record<Plural, readonly (readonly [position: number, names: readonly string[]])[]>> = {
  companies: [
    [0, ['Key account']],
    [1, ['Key account']],
    [3, ['Partner']],
    [6, ['At risk']],
    [8, ['Partner', 'Follow up']],
  ],
  contacts: [
    [0, ['Key account', 'Newsletter']],
    [1, ['Key account']],
    [3, ['Partner', 'Newsletter']],
    [9, ['Newsletter']],
    [14, ['Newsletter', 'Follow up']],
  ],
  deals: [
    [2, ['Follow up']],
    [9, ['At risk']],
    [16, ['Follow up']],
    [21, ['At risk', 'Follow up']],
  ],
  tasks: [
    [0, ['Follow up']],
    [5, ['Follow up']],
    [10, ['Follow up']],
  ],
}
