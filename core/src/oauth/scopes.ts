import { fail, ok, type Result } from '../result.ts'

/** What a token may do beyond reading, which every token may. */
export const scopes = ['account:write', 'trading', 'data', 'tokenization'] as const
export type Scope = (typeof scopes)[number]

/** What each word asks for. `general` is an alias that asks for no more than reading. */
const meanings = new Map<string, readonly Scope[]>([
  ...scopes.map((scope) => [scope, [scope]] as const),
  ['general', []],
])

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
