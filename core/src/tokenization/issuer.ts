import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import { jobsOf } from '../jobs/apply.ts'
import type { Job } from '../jobs/job.ts'
import { hasOpenOrders } from '../orders/open-orders.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { RegisterIssuer } from './commands.ts'
import type { TokensRestated } from './events.ts'
import { mintDue } from './issuer-response.ts'
import { multiplierOf, ONE_TO_ONE, outstandingTokens } from './multiplier.ts'
import { newJob } from './new-job.ts'
import type { Issuer, ListedToken } from './request.ts'
import { tokensRestated } from './restate.ts'

export type IssuerRefusal =
  | { readonly code: 'accountNotFound' }
  | { readonly code: 'issuerNotFound'; readonly issuer: string }
  | { readonly code: 'issuerAccountInvalid' }
  | { readonly code: 'issuerNotBuiltin'; readonly issuer: string }

export const issuerDeciders = {
  /** The account must be unused, so that it holds exactly the shares behind the tokens. */
  registerIssuer(view, { at }, command) {
    const { code, accountId, external } = command
    const account = view.accounts.get(accountId)
    if (!account) return fail({ code: 'accountNotFound' })
    const known = view.issuers.get(code)
    const isFit = known
      ? known.accountId === accountId
      : account.issuer === undefined &&
        !view.positions.get(accountId)?.size &&
        !hasOpenOrders(view, accountId)
    if (!isFit) return fail({ code: 'issuerAccountInvalid' })
    const issuer = issuerFrom(view, known, command)
    const jobs = known?.mode === 'external' && !external ? takeoverJobs(view, at, issuer) : undefined
    const sealed = external?.apiKey ? { apiKey: external.apiKey } : undefined
    return ok([
      ...(known && external ? inShares(view, at, known) : []),
      { kind: 'issuerRegistered', at, accountId, issuer, ...definedFields({ jobs, sealed }) },
    ])
  },

  /** Sets the outcome of future requests. */
  setBehaviour(view, { at }, { issuer: code, behaviour }) {
    const issuer = view.issuers.get(code)
    if (!issuer) return fail({ code: 'issuerNotFound', issuer: code })
    if (issuer.mode !== 'builtin') return fail({ code: 'issuerNotBuiltin', issuer: code })
    return ok([{ kind: 'behaviourSet', at, issuer: code, behaviour }])
  },

  /** The most recent key signs. */
  /** The first key stays, because an issuer may know it. */
  storeSigningKey: (view, { at }, { keyId, publicKey, privateKey }) =>
    ok(view.signingKey ? [] : [{ kind: 'signingKeyStored', at, sealed: { keyId, publicKey, privateKey } }]),
} satisfies Deciders<IssuerRefusal>

function issuerFrom(view: View, known: Issuer | undefined, command: RegisterIssuer): Issuer {
  const { code, name, accountId, listings, external, redemptionWallets } = command
  const { apiKey: _, ...externalFields } = external ?? {}
  return {
    code,
    name,
    accountId,
    mode: external ? 'external' : 'builtin',
    listings: [...listings, ...delistedWithTokens(view, known, listings)].map((listing) =>
      listingOf(known, listing, external !== undefined),
    ),
    ...externalFields,
    ...definedFields({
      custody: known?.custody,
      custodyAccountIds: known?.custodyAccountIds,
      redemptionWallets,
      behaviour: known?.behaviour,
    }),
  }
}

/**
 * When an external issuer becomes built-in: its jobs are due immediately, and we mint the requests that
 * waited for a callback.
 */
const takeoverJobs = (view: View, at: Instant, issuer: Issuer): readonly Job[] =>
  [...view.requests.values()]
    .filter((request) => request.issuer === issuer.code && request.kind === 'mint')
    .flatMap((request) => {
      const calls = jobsOf(view, request.id).map((job) => ({ ...job, due: at }))
      const due = request.status === 'confirmed' ? mintDue(issuer, request, at) : undefined
      return due === undefined ? calls : [newJob(request, 'chainMint', due)]
    })

/** When a built-in issuer becomes external: its tokens are counted in shares from then on. */
function inShares(view: View, at: Instant, known: Issuer): TokensRestated[] {
  const multiplied = known.listings.filter(({ multiplier }) => multiplier !== undefined)
  return [...new Set(multiplied.map(({ underlying }) => underlying))].flatMap((underlying) =>
    tokensRestated(view, at, { issuer: known, underlying, multiplier: multiplierOf(known, underlying) }),
  )
}

/** Keeps the multiplier of earlier splits; all tokens of a share have the same one. */
function listingOf(known: Issuer | undefined, listing: ListedToken, isExternal: boolean): ListedToken {
  const { multiplier: _, ...even } = listing
  const multiplier = known && !isExternal ? multiplierOf(known, listing.underlying) : ONE_TO_ONE
  return multiplier.shares === multiplier.tokens ? even : { ...even, multiplier }
}

/** Delisted tokens cannot be minted, but existing ones can still be redeemed. */
const delistedWithTokens = (
  view: View,
  known: Issuer | undefined,
  listings: readonly ListedToken[],
): readonly ListedToken[] =>
  (known?.listings ?? [])
    .filter(({ tokenSymbol }) => !listings.some((listing) => listing.tokenSymbol === tokenSymbol))
    .filter(({ underlying }) => known && outstandingTokens(view, known, underlying) > 0n)
    .map((listing) => ({ ...listing, networks: [] }))
