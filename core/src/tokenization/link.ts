import type { Deciders } from '../handlers.ts'
import type { AccountId, IssuerCode } from '../ids.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import type { ParticipantName } from './commands.ts'
import type { LinkRefused } from './events.ts'
import { connectJob } from './new-job.ts'
import { type Link, linkKey, type TokenizationRequest } from './request.ts'

export type LinkRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'issuerNotFound'; readonly issuer: string }
  | { readonly code: 'issuerAccountInvalid' }
  | { readonly code: 'issuerHasNoAddress'; readonly issuer: string; readonly what: string }
  | { readonly code: 'externalIdTaken'; readonly issuer: string }
  | { readonly code: 'linkNotFound' }

/** Whether an account may mint and redeem with an issuer. */
export function isLinked(view: View, accountId: AccountId, issuer: IssuerCode): boolean {
  const link = view.links.get(linkKey(accountId, issuer))
  return link !== undefined && link.state === undefined
}

/** The issuer's own id of a participant, if it has one. Pending requests keep it. */
export const externalIdOf = (view: View, accountId: AccountId, issuer: IssuerCode): string | undefined =>
  view.links.get(linkKey(accountId, issuer))?.externalId

/** The one id by which a participant is named to an issuer. */
export function participantName(
  view: View,
  { accountId, issuer, externalId }: Pick<TokenizationRequest, 'accountId' | 'issuer' | 'externalId'>,
): ParticipantName {
  const known = externalId ?? externalIdOf(view, accountId, issuer)
  return known === undefined ? { accountId } : { externalId: known }
}

export const linkDeciders = {
  /** Linking is idempotent. */
  linkAccount(view, { at }, { link }) {
    const fault = linkFault(view, link)
    if (fault) return fail(fault)
    if (isTaken(view, link)) return fail({ code: 'externalIdTaken', issuer: link.issuer })
    const known = view.links.get(linkKey(link.accountId, link.issuer))
    if (known?.state === undefined && known?.kind === link.kind && known.externalId === link.externalId)
      return ok([])
    return ok([{ kind: 'accountLinked', at, accountId: link.accountId, link }])
  },

  /** Asks the issuer; the account may not mint until the issuer answers. */
  requestLink(view, { at }, { accountId, issuer, email }) {
    const fault = linkFault(view, { accountId, issuer })
    if (fault) return fail(fault)
    if (!view.issuers.get(issuer)?.urls?.connect)
      return fail({ code: 'issuerHasNoAddress', issuer, what: 'connect' })
    const link: Link = { accountId, issuer, kind: 'handshake', email, state: 'asked' }
    return ok([{ kind: 'linkRequested', at, accountId, link, job: connectJob(link, at) }])
  },

  /** An outdated response changes nothing. */
  answerLink(view, { at }, { accountId, issuer, response }) {
    const known = view.links.get(linkKey(accountId, issuer))
    if (known?.state !== 'asked') return ok([])
    const { state: _, ...pending } = known
    const refused = (reason: string): LinkRefused => ({
      kind: 'linkRefused',
      at,
      accountId,
      link: { ...pending, state: 'refused', reason },
    })
    if (!response.ok) return ok([refused(response.reason)])
    const link = { ...pending, externalId: response.externalId }
    if (isTaken(view, link)) return ok([refused('the issuer uses this id for another account')])
    return ok([{ kind: 'accountLinked', at, accountId, link }])
  },

  /** Pending requests still complete; new ones are refused. */
  unlinkAccount(view, { at }, { accountId, issuer }) {
    if (!view.links.has(linkKey(accountId, issuer))) return fail({ code: 'linkNotFound' })
    return ok([{ kind: 'accountUnlinked', at, accountId, issuer }])
  },
} satisfies Deciders<LinkRefusal>

/** An issuer's id names one account, so that redeemed shares cannot go to another. */
const isTaken = (view: View, { accountId, issuer, externalId }: Link): boolean =>
  externalId !== undefined &&
  [...view.links.values()].some(
    (link) => link.issuer === issuer && link.externalId === externalId && link.accountId !== accountId,
  )

function linkFault(
  view: View,
  { accountId, issuer }: Pick<Link, 'accountId' | 'issuer'>,
): LinkRefusal | undefined {
  const account = view.accounts.get(accountId)
  if (!account || account.closedAt !== undefined) return { code: 'accountNotFound' }
  if (!view.issuers.has(issuer)) return { code: 'issuerNotFound', issuer }
  return account.issuer === undefined ? undefined : { code: 'issuerAccountInvalid' }
}
