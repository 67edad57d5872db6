import { definedFields } from '../defined-fields.ts'
import { dropJob, putJob } from '../jobs/apply.ts'
import { jobIdOf } from '../jobs/job.ts'
import { found, unreachable } from '../result.ts'
import type { State } from '../state.ts'
import type { CustodyAccountSet, IssuerEvent, ListingsChanged } from './events.ts'
import { type Link, linkKey } from './request.ts'

export function applyIssuer(state: State, event: IssuerEvent): void {
  switch (event.kind) {
    case 'issuerRegistered': {
      const { issuer, accountId, sealed } = event
      state.issuers.set(issuer.code, issuer)
      if (sealed) state.issuerKeys.set(issuer.code, sealed.apiKey)
      const account = found(state.accounts.get(accountId), accountId)
      state.accounts.set(account.id, { ...account, issuer: issuer.code })
      for (const job of event.jobs ?? []) putJob(state, job)
      return
    }
    case 'behaviourSet': {
      const issuer = found(state.issuers.get(event.issuer), event.issuer)
      return void state.issuers.set(issuer.code, { ...issuer, behaviour: event.behaviour })
    }
    case 'signingKeyStored':
      return void (state.signingKey = event.sealed)
    case 'listingsChanged':
      return changeListings(state, event)
    case 'tokensRestated':
      for (const [id, tokens] of event.tokens)
        state.requests.set(id, { ...found(state.requests.get(id), id), tokens })
      return
    case 'custodyAccountSet':
      return nameCustody(state, event)
    case 'linkRequested':
      setLink(state, event.link)
      return putJob(state, event.job)
    case 'accountLinked':
    case 'linkRefused':
      dropConnect(state, event.link)
      return setLink(state, event.link)
    case 'accountUnlinked':
      dropConnect(state, event)
      return void state.links.delete(linkKey(event.accountId, event.issuer))
    default:
      return unreachable(event)
  }
}

const setLink = (state: State, link: Link): void =>
  void state.links.set(linkKey(link.accountId, link.issuer), link)

const dropConnect = (state: State, { accountId, issuer }: Pick<Link, 'accountId' | 'issuer'>): void =>
  dropJob(state, jobIdOf(linkKey(accountId, issuer), 'issuerConnect'))

/** Requests whose shares have moved get the new symbol; all others have already ended. */
function changeListings(state: State, { issuer: code, listings, renamed }: ListingsChanged): void {
  const issuer = found(state.issuers.get(code), code)
  const named = renamed && issuer.custody?.get(renamed.from)
  const custody = named && new Map([...(issuer.custody ?? []), [renamed.to, named]])
  state.issuers.set(code, { ...issuer, listings, ...definedFields({ custody }) })
  if (!renamed) return
  for (const request of state.requests.values())
    if (request.issuer === code && request.underlying === renamed.from)
      state.requests.set(request.id, { ...request, underlying: renamed.to })
}

function nameCustody(state: State, { issuer: code, accountId, underlying, until }: CustodyAccountSet): void {
  const issuer = found(state.issuers.get(code), code)
  const custody = new Map([...(issuer.custody ?? []), [underlying, { accountId, until }]])
  const { custodyAccountIds = [] } = issuer
  const isNew = accountId !== issuer.accountId && !custodyAccountIds.includes(accountId)
  state.issuers.set(code, {
    ...issuer,
    custody,
    custodyAccountIds: isNew ? [...custodyAccountIds, accountId] : custodyAccountIds,
  })
  const account = found(state.accounts.get(accountId), accountId)
  state.accounts.set(accountId, { ...account, issuer: code })
}
