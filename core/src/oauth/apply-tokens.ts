import { schedule, unschedule } from '../agenda.ts'
import type { GrantId, TokenId } from '../ids.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import type { Token } from './app.ts'

export function addToken(state: State, token: Token): void {
  const grant = found(state.grants.get(token.grantId), token.grantId)
  state.grants.set(grant.id, { ...grant, tokens: [...grant.tokens, token.id] })
  state.tokens.set(token.id, token)
  state.tokenDigests.set(token.digest, token.id)
  if (token.expiresAt !== undefined)
    schedule(state.agenda, token.expiresAt, { kind: 'expireToken', tokenId: token.id })
}

/** Deletes a token, and its grant with the last token. */
export function dropToken(state: State, id: TokenId): void {
  const token = forgetToken(state, id)
  const grant = found(state.grants.get(token.grantId), token.grantId)
  const tokens = grant.tokens.filter((other) => other !== id)
  if (tokens.length === 0) state.grants.delete(grant.id)
  else state.grants.set(grant.id, { ...grant, tokens })
}

/** Deletes a grant and its tokens. Codes of the grant become invalid. */
export function endGrant(state: State, id: GrantId): void {
  for (const tokenId of found(state.grants.get(id), id).tokens) forgetToken(state, tokenId)
  state.grants.delete(id)
}

function forgetToken(state: State, id: TokenId): Token {
  const token = found(state.tokens.get(id), id)
  state.tokens.delete(id)
  state.tokenDigests.delete(token.digest)
  if (token.expiresAt !== undefined)
    unschedule(state.agenda, token.expiresAt, { kind: 'expireToken', tokenId: id })
  return token
}
