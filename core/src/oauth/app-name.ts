/** Characters that look like the letters of Quipu in other alphabets. */
const LOOKS_LIKE = { q: 'qԛգ9', u: 'uυսʋцv', i: 'i1lıіɩιӏj|!', p: 'pрρþƿ' } as const
const LETTERS = ['q', 'u', 'i', 'p', 'u'] as const

const pattern = (between: string): string => LETTERS.map((letter) => `[${LOOKS_LIKE[letter]}]`).join(between)

/** `Quipu` inside a word, such as `MyQuipu`. */
const INSIDE = new RegExp(pattern(''), 'u')
/** `Q u i p u`: the letters from the start of a word, separated by anything except letters and digits. */
const SPACED = new RegExp(`(?<![\\p{L}\\p{N}])${pattern('[^\\p{L}\\p{N}]*')}`, 'u')

/**
 * Whether an app's name could be mistaken for Quipu itself. Case, accents, invisible characters and styled
 * letters are ignored, and look-alike letters are equal. `Equip United` is allowed.
 */
export function imitatesQuipu(name: string): boolean {
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
  return INSIDE.test(plain) || SPACED.test(plain)
}
