import { definedFields } from '../defined-fields.ts'
import type { Appliers } from '../handlers.ts'
import type { AccountId, IssuerCode, PartnerId } from '../ids.ts'
import { dropJob, putJob } from '../jobs/apply.ts'
import { jobIdOf } from '../jobs/job.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import { type Link, linkKey } from './request.ts'

export const issuerAppliers = {
  issuerRegistered(state, { issuer, accountId, jobs, sealed }) {
    state.issuers.set(issuer.code, issuer)
    if (sealed) state.issuerKeys.set(issuer.code, sealed.apiKey)
    if (issuer.partnerId) reservePartner(state, issuer.partnerId, issuer.code)
    holdCustody(state, accountId, issuer.code)
    for (const job of jobs ?? []) putJob(state, job)
  },

  issuerUnregistered: (state, { partnerId, issuer }) => reservePartner(state, partnerId, issuer),

  behaviourSet(state, { issuer: code, behaviour }) {
    state.issuers.set(code, { ...found(state.issuers.get(code), code), behaviour })
  },

  signingKeyStored(state, { sealed }) {
    state.signingKey = sealed
  },

  /** Requests whose shares have moved get the new symbol; all others have already ended. */
  listingsChanged(state, { issuer: code, listings, renamed }) {
    const issuer = found(state.issuers.get(code), code)
    const named = renamed && issuer.custody?.get(renamed.from)
    const custody = named && new Map([...(issuer.custody ?? []), [renamed.to, named]])
    state.issuers.set(code, { ...issuer, listings, ...definedFields({ custody }) })
    if (!renamed) return
    for (const request of state.requests.values())
      if (request.issuer === code && request.underlying === renamed.from)
        state.requests.set(request.id, { ...request, underlying: renamed.to })
  },

  tokensRestated(state, event) {
    for (const [id, tokens] of event.tokens)
      state.requests.set(id, { ...found(state.requests.get(id), id), tokens })
  },

  custodyAccountSet(state, { issuer: code, accountId, underlying, until }) {
    const issuer = found(state.issuers.get(code), code)
    const custody = new Map([...(issuer.custody ?? []), [underlying, { accountId, until }]])
    const { custodyAccountIds = [] } = issuer
    const isNew = accountId !== issuer.accountId && !custodyAccountIds.includes(accountId)
    state.issuers.set(code, {
      ...issuer,
      custody,
      custodyAccountIds: isNew ? [...custodyAccountIds, accountId] : custodyAccountIds,
    })
    holdCustody(state, accountId, code)
  },

  linkRequested(state, { link, job }) {
    setLink(state, link)
    putJob(state, job)
  },

  accountLinked: answerLink,
  linkRefused: answerLink,

  accountUnlinked(state, event) {
    dropConnect(state, event)
    state.links.delete(linkKey(event.accountId, event.issuer))
  },
} satisfies Appliers

/** The keys of the partner may call only the operations of issuers. */
function reservePartner(state: State, id: PartnerId, issuer: IssuerCode): void {
  const partner = state.partners.get(id)
  if (partner) state.partners.set(id, { ...partner, issuer })
}

function holdCustody(state: State, accountId: AccountId, issuer: IssuerCode): void {
  state.accounts.set(accountId, { ...found(state.accounts.get(accountId), accountId), issuer })
}

function answerLink(state: State, { link }: { readonly link: Link }): void {
  dropConnect(state, link)
  setLink(state, link)
}

const setLink = (state: State, link: Link): void =>
  void state.links.set(linkKey(link.accountId, link.issuer), link)

const dropConnect = (state: State, { accountId, issuer }: Pick<Link, 'accountId' | 'issuer'>): void =>
  dropJob(state, jobIdOf(linkKey(accountId, issuer), 'issuerConnect'))
