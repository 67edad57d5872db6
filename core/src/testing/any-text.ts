import fc from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800

const toCharacter = (number: number): string =>
  String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES)

const toNumber = (character: unknown): number => {
  const code = (character as string).codePointAt(0)!
  return code < FIRST_SURROGATE ? code : code - SURROGATES
}

/** Any Unicode character. `unit: 'binary'` of fast-check means the same, but costs a second of CPU in each process. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(toCharacter, toNumber)

export const anyText = (options: { readonly maxLength?: number } = {}) =>
  fc.string({ ...options, unit: anyCharacter })
