import { expiryFaults } from '../agenda.ts'
import type { GrantId } from '../ids.ts'
import type { View } from '../state/state.ts'
import { EPOCH } from '../time.ts'
import type { App, Code, Grant, Token } from './app.ts'
import { GRANT_TOKENS_MAX, SECRETS_MAX } from './lifetimes.ts'

/**
 * Checks the invariants of apps and grants, and returns each violation as text. Messages never contain a
 * digest.
 *   apps     are indexed by client id and have existing partners; public apps have no secret
 *   grants   refer to existing apps and open accounts of at most one user, of the right kinds; each has
 *            either an unused code or tokens, and at most the maximum number of tokens
 *   codes    belong to the app of their grant, one per grant, oldest first
 *   tokens   are indexed by grant and digest and have no more scopes than their grant; at most two are fresh
 *            refresh tokens, and used ones have a time of use
 *   machine tokens belong to partners' keys, oldest first
 *   agenda   each expiring token is on it once, at its expiry
 */
export const oauthFaults = (view: View): string[] => [
  ...[...view.apps.values()].flatMap((app) => appFaults(view, app)),
  ...indexFaults(view),
  ...grantFaults(view),
  ...codeFaults(view),
  ...[...view.tokens.values()].flatMap((token) => tokenFaults(view, token)),
  ...machineFaults(view),
  ...agendaFaults(view),
]

type Claim = readonly [holds: boolean, fault: string]

const broken = (claims: readonly Claim[]): string[] =>
  claims.filter(([holds]) => !holds).map(([, fault]) => fault)

const appFaults = (view: View, { id, clientId, owner, partners, secrets, isPublic }: App): string[] =>
  broken([
    [view.clientIds.get(clientId) === id, `app ${id} is not found by its client id`],
    [partners.includes(owner), `app ${id} cannot be used by its owner`],
    [partners.every((partner) => view.partners.has(partner)), `app ${id} has an unknown partner`],
    [secrets.length <= (isPublic ? 0 : SECRETS_MAX), `app ${id} has ${secrets.length} secrets`],
  ])

const indexFaults = ({ clientIds, apps, tokenDigests, tokens }: View): string[] =>
  broken([
    [clientIds.size === apps.size, `${clientIds.size} client ids lead to ${apps.size} apps`],
    [tokenDigests.size === tokens.size, `${tokenDigests.size} digests lead to ${tokens.size} tokens`],
  ])

function grantFaults(view: View): string[] {
  const codes = new Map<GrantId, Code>()
  for (const code of view.codes.values()) codes.set(code.grantId, code)
  return [...view.grants.values()].flatMap((grant) => {
    const { id, appId, tokens } = grant
    const fresh = tokens.filter((token) => view.tokens.get(token)?.refresh === 'fresh').length
    const isPromised = codes.get(id)?.used === false
    return [
      ...broken([
        [view.apps.has(appId), `grant ${id} is to ${appId}, which does not exist`],
        [isPromised === (tokens.length === 0), `grant ${id} has ${tokens.length} tokens beside its code`],
        [tokens.length <= GRANT_TOKENS_MAX, `grant ${id} has ${tokens.length} tokens`],
        [new Set(tokens).size === tokens.length, `grant ${id} has a token twice`],
        [tokens.every((token) => view.tokens.get(token)?.grantId === id), `grant ${id} lacks a token`],
        [fresh <= 2, `grant ${id} has ${fresh} fresh refresh tokens`],
      ]),
      ...accountFaults(view, grant),
    ]
  })
}

function accountFaults(view: View, { id, userId, live, paper }: Grant): string[] {
  const accounts = [live, paper].filter((one) => one !== undefined).map((one) => view.accounts.get(one))
  const owners = new Set(accounts.map((account) => account?.userId))
  const isOf = (one: Grant['live'], flavour: 'live' | 'paper') =>
    one === undefined || view.accounts.get(one)?.flavour === flavour
  return broken([
    [accounts.length > 0, `grant ${id} is for no account`],
    [accounts.every((account) => account && !account.closedAt), `grant ${id} is for a closed account`],
    [isOf(live, 'live') && isOf(paper, 'paper'), `grant ${id} is for an account of the wrong kind`],
    [owners.size <= 1, `grant ${id} is for accounts of several users`],
    [userId === undefined || owners.has(userId), `grant ${id} was given by ${userId} for another user`],
  ])
}

function codeFaults({ codes, grants }: View): string[] {
  const faults: string[] = []
  const promised = new Set<GrantId>()
  let before = EPOCH
  for (const { grantId, appId, expiresAt } of codes.values()) {
    const grant = grants.get(grantId)
    if (grant && grant.appId !== appId) faults.push(`a code for ${grantId} is of ${appId}`)
    if (promised.has(grantId)) faults.push(`two codes for ${grantId}`)
    if (expiresAt < before) faults.push(`a code for ${grantId} is listed before an older one`)
    promised.add(grantId)
    before = expiresAt
  }
  return faults
}

function tokenFaults(view: View, token: Token): string[] {
  const { id, grantId, digest, refresh, usedAt, expiresAt, narrowed } = token
  const grant = view.grants.get(grantId)
  const scopes = grant?.scopes ?? []
  return broken([
    [grant?.tokens.includes(id) ?? false, `token ${id} is missing in its grant ${grantId}`],
    [view.tokenDigests.get(digest) === id, `token ${id} is not found by its digest`],
    [refresh !== 'used' || usedAt !== undefined, `token ${id} has no time of use`],
    [!refresh || expiresAt !== undefined, `token ${id} is a refresh token without expiry`],
    [
      narrowed?.scopes.every((scope) => scopes.includes(scope)) ?? true,
      `token ${id} has more scopes than ${grantId}`,
    ],
  ])
}

function machineFaults({ machineTokens, keys }: View): string[] {
  const faults: string[] = []
  let before = EPOCH
  for (const { keyId, expiresAt } of machineTokens.values()) {
    if ((keys.get(keyId)?.owner.kind ?? 'account') === 'account')
      faults.push("a machine token has no partner's key")
    if (expiresAt < before) faults.push('a machine token is listed before an older one')
    before = expiresAt
  }
  return faults
}

const agendaFaults = ({ agenda, tokens }: View): string[] =>
  expiryFaults(agenda, 'token', tokens, (item) => (item.kind === 'expireToken' ? item.tokenId : undefined))
