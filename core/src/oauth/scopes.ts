import { fail, ok, type Result } from '../result.ts'
import { oneOf } from '../schema.ts'

/** Scopes beyond reading, which every token allows. */
export const scopes = ['account:write', 'trading', 'data', 'tokenization'] as const
export const scopeSchema = oneOf(...scopes)
export type Scope = (typeof scopes)[number]

/** The scopes of each word. `general` is an alias for reading only. */
const scopesOfWord = new Map<string, readonly Scope[]>([
  ...scopes.map((scope) => [scope, [scope]] as const),
  ['general', []],
])

/** The scopes that are allowed; returns the same list if all are. */
export const scopesWithin = (granted: readonly Scope[], allowed: readonly Scope[]): readonly Scope[] =>
  granted.every((scope) => allowed.includes(scope))
    ? granted
    : granted.filter((scope) => allowed.includes(scope))

/** Keeps the words whose scopes are allowed. */
export const scopeTextWithin = (text: string, allowed: readonly Scope[]): string =>
  text
    .split(' ')
    .filter((word) => scopesOfWord.get(word)?.every((scope) => allowed.includes(scope)) ?? true)
    .join(' ')

/** Parses space-separated scopes. An empty text means reading only. */
export function parseScope(text: string): Result<readonly Scope[], 'unknownScope'> {
  const requested = new Set<Scope>()
  for (const word of text.split(' ')) {
    const wordScopes = word === '' ? [] : scopesOfWord.get(word)
    if (!wordScopes) return fail('unknownScope')
    for (const scope of wordScopes) requested.add(scope)
  }
  return ok([...requested])
}
