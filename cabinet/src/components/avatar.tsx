interface AvatarProps {
  readonly name: string
  /** What the hue is chosen by, so that it stays when the name changes. */
  readonly id?: string
  readonly size?: 'small' | 'mid' | 'large'
  /** Companies are square, people round. */
  readonly isSquare?: boolean
}

const hues = 6

/** The initials of a name on a hue of its own. Decoration: the name stands beside it, or is the label of what it is in. */
export function Avatar({ name, id = name, size = 'small', isSquare = false }: AvatarProps) {
  const classes = ['avatar', `hue-${hueOf(id)}`]
  if (size !== 'small') classes.push(`avatar-${size}`)
  if (isSquare) classes.push('avatar-square')
  return <span className={classes.join(' ')} data-initials={initialsOf(name, isSquare ? 1 : 2)} aria-hidden="true" />
}

/** The first letters of the first and the last word: `Anna Petrova` is AP. */
export function initialsOf(name: string, most = 2): string {
  const words = name.split(/\s+/u).filter(word => /^[\p{L}\p{N}]/u.test(word))
  const chosen = words.length > 1 && most > 1 ? [words[0], words.at(-1)] : [words[0]]
  return chosen.map(word => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}

/** One of the hues, the same for the same id. */
function hueOf(id: string): number {
  let sum = 7
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) % 65_521
  return (sum % hues) + 1
}
