import { fail, ok, type Result } from '../result.ts'

/** What a token may do beyond reading, which every token may. */
export const scopes = ['account:write', 'trading', 'data', 'tokenization'] as const
export type Scope = (typeof scopes)[number]

/** What each word asks for. `general` is an alias that asks for no more than reading. */
const meanings = new Map<string, readonly Scope[]>([
  ...scopes.map((scope) => [scope, [scope]] as const),
  ['general', []],
])

/** The scopes that are allowed; the same list where all are. */
export const scopesWithin = (granted: readonly Scope[], allowed: readonly Scope[]): readonly Scope[] =>
  granted.every((scope) => allowed.includes(scope))
    ? granted
    : granted.filter((scope) => allowed.includes(scope))

/** The words that ask for no more than is allowed. */
export const scopeTextWithin = (text: string, allowed: readonly Scope[]): string =>
  text
    .split(' ')
    .filter((word) => meanings.get(word)?.every((scope) => allowed.includes(scope)) ?? true)
    .join(' ')

/** Scopes as an app writes them, apart by spaces. No word at all means reading only. */
export function parseScope(text: string): Result<readonly Scope[], 'unknownScope'> {
  const asked = new Set<Scope>()
  for (const word of text.split(' ')) {
    const meant = word === '' ? [] : meanings.get(word)
    if (!meant) return fail('unknownScope')
    for (const scope of meant) asked.add(scope)
  }
  return ok([...asked])
}
