import type {
  AccountId,
  AppId,
  BrowserSession,
  Digest,
  GrantId,
  PartnerId,
  Person,
  SessionId,
} from '@quipu/core'
import type { World } from '../world/world.ts'

/** Who is calling, and in which world. The credential alone decides both. */
export type Caller = AccountCaller | PartnerCaller

/** What a token stands on that is no app's: it may end without an event. */
type Ticket = {
  /** The digest of a machine's token. */
  readonly machine?: Digest
  /** The session of the browser that was given it. */
  readonly session?: Pick<SignedIn, 'world' | 'digest'> & { readonly id: SessionId }
}

export type AccountCaller = Ticket & {
  readonly kind: 'account'
  readonly world: World
  readonly accountId: AccountId
  /** The key's id, or the token's. */
  readonly credentialId: string
  /** What an OAuth token was granted; absent for a key, which may do everything its account may. */
  readonly scopes?: ReadonlySet<string>
  /** What an OAuth token stands on. */
  readonly grantId?: GrantId
  /** The app that has the token. */
  readonly appId?: AppId
}

export type PartnerCaller = Ticket & {
  readonly kind: 'partner'
  readonly world: World
  readonly partnerId: PartnerId
  readonly credentialId: string
  /** May steer every world. */
  readonly operator: boolean
  /** A page asked for a token that serves GET alone. */
  readonly readOnly?: boolean
}

/** A browser, and who has signed in there. */
export type SignedIn = {
  readonly world: World
  readonly digest: Digest
  readonly session: BrowserSession
  readonly person: Person
}
