import assert from 'node:assert/strict'
import test from 'node:test'
import { encode } from '../encode.ts'
import type { KeyId } from '../ids.ts'
import type { Instant } from '../time.ts'
import { CHALLENGE, digest, Office } from './testing/oauth.ts'

/** One event of every kind that knows a secret, or was asked for with one. */
function everything(): Office {
  const office = new Office({ tokenSeconds: 60 })
  const { partnerId, clientId, ann } = office
  const { code } = office.consent({ challenge: CHALLENGE })
  const { refresh } = office.exchange(code, { challenge: CHALLENGE })
  office.refresh(office.refresh(refresh).refresh)
  office.refresh(refresh)
  const again = office.authorize()
  office.exchange(again)
  office.exchange(again)
  const own = { clientId, secret: office.ask.secret! }
  for (const _ of [1, 2]) {
    const pair = office.exchange(office.authorize())
    office.say({ kind: 'revokeOwnToken', ...own, token: pair.token })
    office.say({ kind: 'revokeOwnToken', ...own, token: pair.refresh })
  }
  office.say({ kind: 'revokeToken', partnerId, tokenId: office.tokenId(office.token()) })
  office.token()
  office.say({ kind: 'noteGrantUse', grantId: [...office.state.grants.keys()].at(-1)! })
  office.world.run('wait 61')
  office.consent()
  office.say({ kind: 'withdrawConsent', userId: ann, clientId })
  office.say({ kind: 'refuseConsent', userId: ann, clientId })
  office.say({ kind: 'recordFailedAttemptLimit', where: 'app', clientId })
  machines(office)
  users(office)
  office.say({ kind: 'changeApp', partnerId, clientId, change: { name: 'new', status: 'disabled' } })
  office.say({ kind: 'addAppSecret', partnerId, clientId, secret: digest('another') })
  const { id: secretId } = [...office.state.apps.values()][0]!.secrets[0]!
  office.say({ kind: 'removeAppSecret', partnerId, clientId, secretId })
  office.say({ kind: 'deleteApp', partnerId, clientId })
  return office
}

function machines(office: Office): void {
  const owner = { kind: 'partner', partnerId: office.partnerId, operator: false } as const
  const keyId = 'digest of a key' as KeyId
  office.say({ kind: 'issueKey', keyId, owner, digest: digest('key') })
  const assertion = { digest: digest('jti'), now: 0n as Instant, expiresAt: 1n as Instant }
  office.say({ kind: 'issueMachineToken', keyId, token: digest('machine'), assertion })
  office.say({ kind: 'revokeMachineToken', keyId, token: digest('machine') })
}

function users(office: Office): void {
  const { bob: userId } = office
  office.say({ kind: 'changeUser', userId, operator: true })
  const times = { nowMs: 1, endsAtMs: 10 }
  office.say({ kind: 'issueSignInLink', userId, link: digest('link'), ...times, operator: true })
  const session = digest('session')
  office.say({
    kind: 'signIn',
    by: { link: digest('link') },
    session,
    ...times,
    operatorUntilMs: 5,
    from: 'digest of an address',
  })
  office.say({ kind: 'dropOperatorRights', session })
  office.say({ kind: 'noteFailedSignIn', userId })
  office.say({ kind: 'signOut', session })
  office.say({ kind: 'changeUser', userId, password: 'digest of a password' })
  office.say({ kind: 'assignAccount', accountId: office.account('B') })
  office.say({ kind: 'removeUser', userId })
}

test('client ids, secrets, codes, tokens, links, sessions and passwords stand in the sealed part alone', () => {
  const { world, clientId } = everything()
  for (const { kind, ...event } of world.events) {
    const { sealed: _, ...open } = event as { readonly sealed?: unknown }
    const text = encode(open)
    assert.ok(!/digest of|slow /.test(text) && !text.includes(clientId), `${kind}: ${text}`)
  }
})

test('the story has every kind of event of users, apps and machines', () => {
  const told = new Set(everything().world.events.map(({ kind }) => kind))
  for (const kind of [
    ...['personAdded', 'personChanged', 'personRemoved', 'accountAssigned', 'signInLinkIssued', 'signedIn'],
    ...[
      'operatorRightsRaised',
      'operatorRightsDropped',
      'signInFailed',
      'signedOut',
      'appRegistered',
      'appStatusChanged',
      'appChanged',
      'appSecretAdded',
    ],
    ...[
      'appSecretRemoved',
      'appDeleted',
      'failedAttemptLimitReached',
      'codeIssued',
      'consentRefused',
      'consentWithdrawn',
    ],
    ...['tokenIssued', 'codeExchanged', 'codeReplayed', 'tokenRefreshed', 'refreshReplayed', 'tokenRevoked'],
    ...['tokenExpired', 'grantRevoked', 'grantUsed', 'machineTokenIssued', 'machineTokenRevoked'],
  ] as const)
    assert.ok(told.has(kind as never), kind)
})
