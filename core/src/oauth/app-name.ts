/** Letters that look like those of Quipu, in the alphabets that people confuse. */
const LOOKS_LIKE = { q: 'qԛգ9', u: 'uυսʋцv', i: 'i1lıіɩιӏj|!', p: 'pрρþƿ' } as const
const LETTERS = ['q', 'u', 'i', 'p', 'u'] as const

const pattern = (between: string): string => LETTERS.map((letter) => `[${LOOKS_LIKE[letter]}]`).join(between)

/** `Quipu` inside a word, such as `MyQuipu`. */
const INSIDE = new RegExp(pattern(''), 'u')
/** `Q u i p u`: its letters from the start of a word on, with anything but letters and digits between them. */
const SPACED = new RegExp(`(?<![\\p{L}\\p{N}])${pattern('[^\\p{L}\\p{N}]*')}`, 'u')

/**
 * Whether the name of an app could be taken for Quipu itself. Case, accents, invisible characters and styled letters do
 * not count, and letters that look alike are the same. `Equip United` is a name like any other.
 */
export function imitatesQuipu(name: string): boolean {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
  return INSIDE.test(plain) || SPACED.test(plain)
}
