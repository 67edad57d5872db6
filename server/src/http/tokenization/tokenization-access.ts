import { type AccountId, found, type Issuer, linkKey, type View } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { accessOf } from '../broker/partner-access.ts'
import type { Context } from '../context.ts'
import type { RequestAccount } from './request-reading.ts'

type AccountInput = {
  readonly headers: { readonly 'x-quipu-world'?: string | undefined }
  readonly params: { readonly account_id: string }
}

/** The account of a request; with its issuer if it is the account of an issuer, otherwise a participant. */
export type TokenizationAccess = RequestAccount & { readonly issuer?: Issuer | undefined }

/**
 * The account must belong to the caller: to the partner of a participant, or to the partner of an issuer. An account of
 * another partner and an unknown account are both forbidden, so that the response does not reveal which.
 */
export function tokenizationAccess({ headers, params }: AccountInput, context: Context): TokenizationAccess {
  const { world, limitedTo } = accessOf(context, headers)
  const accountId = params.account_id.toLowerCase() as AccountId
  const account = world.view.accounts.get(accountId)
  const issuer = account?.issuer && issuerAt(world.view, account.issuer, accountId)
  const owner = issuer?.partnerId ?? account?.partnerId
  if (!account || (limitedTo !== undefined && owner !== limitedTo)) throw refuse({ code: 'forbidden' })
  return { world, accountId, issuer }
}

/** Only the first account of an issuer can be used for its requests. */
function issuerAt(view: View, code: string, accountId: AccountId): Issuer {
  const issuer = found(view.issuers.get(code as Issuer['code']), code)
  if (issuer.accountId !== accountId) throw refuse({ code: 'forbidden' })
  return issuer
}

/** For operations of participants; an account of an issuer is forbidden. */
export function participantAccess(input: AccountInput, context: Context): RequestAccount {
  const access = tokenizationAccess(input, context)
  if (access.issuer) throw refuse({ code: 'forbidden' })
  return access
}

/** For operations of issuers; an account of a participant is forbidden. */
export function issuerAccess(
  input: AccountInput,
  context: Context,
): RequestAccount & { readonly issuer: Issuer } {
  const { issuer, ...access } = tokenizationAccess(input, context)
  if (!issuer) throw refuse({ code: 'forbidden' })
  return { ...access, issuer }
}

/** An account of a participant, also for an affiliated issuer; the issuer sees only its own requests. */
export function affiliatedAccess(input: AccountInput, context: Context): TokenizationAccess {
  const { world, limitedTo } = accessOf(context, input.headers)
  const accountId = input.params.account_id.toLowerCase() as AccountId
  const { issuers, links } = world.view
  const issuer = [...issuers.values()].find(
    ({ code, partnerId }) =>
      partnerId !== undefined &&
      partnerId === limitedTo &&
      links.get(linkKey(accountId, code))?.kind === 'affiliated',
  )
  return issuer ? { world, accountId, issuer } : participantAccess(input, context)
}
