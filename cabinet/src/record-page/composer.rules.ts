/** The kinds of activities that a line can begin with, such as `/call`. */
const types = ['note', 'call', 'meeting', 'email', 'message', 'other'] as const

export type ActivityType = (typeof types)[number]

/** What was typed in the line for notes: `/call Wants two lots` is a call, anything else a note. */
export function composed(typed: string): { readonly type: ActivityType; readonly body: string } {
  const [, word = '', rest = ''] = /^\/(\w+)(?:\s+([\s\S]*))?$/u.exec(typed.trim()) ?? []
  const type = types.find(one => one === word)
  return type === undefined ? { type: 'note', body: typed.trim() } : { type, body: rest.trim() }
}
