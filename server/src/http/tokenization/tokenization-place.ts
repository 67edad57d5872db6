import { type AccountId, found, type Issuer, linkKey, type View } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { accessOf } from '../broker/partner-access.ts'
import type { Context } from '../context.ts'
import type { RequestsOf } from './request-reading.ts'

type Asked = {
  readonly headers: { readonly 'x-quipu-world'?: string | undefined }
  readonly params: { readonly account_id: string }
}

/** An account a partner asks about, as which of the two sides it is there. */
export type TokenizationPlace = RequestsOf & { readonly issuer?: Issuer }

/**
 * A participant's account is its partner's; an issuer's is that of the partner the issuer calls as. Whatever is
 * somebody else's, or nobody's, is forbidden: nobody learns which.
 */
export function tokenizationPlace({ headers, params }: Asked, context: Context): TokenizationPlace {
  const { world, limitedTo } = accessOf(context, headers)
  const accountId = params.account_id.toLowerCase() as AccountId
  const account = world.view.accounts.get(accountId)
  const issuer = account?.issuer && issuerAt(world.view, account.issuer, accountId)
  const owner = issuer?.partnerId ?? account?.partnerId
  if (!account || (limitedTo !== undefined && owner !== limitedTo)) throw refuse({ code: 'forbidden' })
  return { world, accountId, ...(issuer ? { issuer } : {}) }
}

/** An issuer is known by its first account alone. */
function issuerAt(view: View, code: string, accountId: AccountId): Issuer {
  const issuer = found(view.issuers.get(code as Issuer['code']), code)
  if (issuer.accountId !== accountId) throw refuse({ code: 'forbidden' })
  return issuer
}

/** The same for what only participants may do. */
export function participantPlace(asked: Asked, context: Context): RequestsOf {
  const place = tokenizationPlace(asked, context)
  if (place.issuer) throw refuse({ code: 'forbidden' })
  return place
}

/** And for what only issuers may. */
export function issuerPlace(asked: Asked, context: Context): RequestsOf & { readonly issuer: Issuer } {
  const { issuer, ...place } = tokenizationPlace(asked, context)
  if (!issuer) throw refuse({ code: 'forbidden' })
  return { ...place, issuer }
}

/** A participant's account, also for an issuer it is affiliated with: that one is told, and sees only its own. */
export function affiliatedPlace(asked: Asked, context: Context): TokenizationPlace {
  const { world, limitedTo } = accessOf(context, asked.headers)
  const accountId = asked.params.account_id.toLowerCase() as AccountId
  const { issuers, links } = world.view
  const issuer = [...issuers.values()].find(
    ({ code, partnerId }) =>
      partnerId !== undefined &&
      partnerId === limitedTo &&
      links.get(linkKey(accountId, code))?.kind === 'affiliated',
  )
  return issuer ? { world, accountId, issuer } : participantPlace(asked, context)
}
