import assert from 'node:assert/strict'
import test from 'node:test'
import { encode } from '../encode.ts'
import type { KeyId } from '../ids.ts'
import type { Instant } from '../time.ts'
import { CHALLENGE, digest, OAuthFixture } from './testing/oauth.ts'

/** Causes one event of every kind of users, apps and machines. */
function everything(): OAuthFixture {
  const fixture = new OAuthFixture({ tokenSeconds: 60 })
  const { partnerId, clientId, ann } = fixture
  const { code } = fixture.consent({ challenge: CHALLENGE })
  const { refresh } = fixture.exchange(code, { challenge: CHALLENGE })
  fixture.refresh(fixture.refresh(refresh).refresh)
  fixture.refresh(refresh)
  const again = fixture.authorize()
  fixture.exchange(again)
  fixture.exchange(again)
  const own = { clientId, secret: fixture.request.secret! }
  for (const _ of [1, 2]) {
    const pair = fixture.exchange(fixture.authorize())
    fixture.submit({ kind: 'revokeAppToken', ...own, token: pair.token })
    fixture.submit({ kind: 'revokeAppToken', ...own, token: pair.refresh })
  }
  fixture.submit({ kind: 'revokeToken', partnerId, tokenId: fixture.tokenId(fixture.token()) })
  fixture.token()
  fixture.submit({ kind: 'noteGrantUse', grantId: [...fixture.state.grants.keys()].at(-1)! })
  fixture.world.run('wait 61')
  fixture.consent()
  fixture.submit({ kind: 'withdrawConsent', userId: ann, clientId })
  fixture.submit({ kind: 'refuseConsent', userId: ann, clientId })
  fixture.submit({ kind: 'recordFailedAttemptLimit', where: 'app', clientId })
  machines(fixture)
  users(fixture)
  fixture.submit({ kind: 'changeApp', partnerId, clientId, change: { name: 'new', status: 'disabled' } })
  fixture.submit({ kind: 'addAppSecret', partnerId, clientId, secret: digest('another') })
  const { id: secretId } = [...fixture.state.apps.values()][0]!.secrets[0]!
  fixture.submit({ kind: 'removeAppSecret', partnerId, clientId, secretId })
  fixture.submit({ kind: 'deleteApp', partnerId, clientId })
  return fixture
}

function machines(fixture: OAuthFixture): void {
  const owner = { kind: 'partner', partnerId: fixture.partnerId, operator: false } as const
  const keyId = 'digest of a key' as KeyId
  fixture.submit({ kind: 'issueKey', keyId, owner, digest: digest('key') })
  const assertion = { digest: digest('jti'), now: 0n as Instant, expiresAt: 1n as Instant }
  fixture.submit({ kind: 'issueMachineToken', keyId, token: digest('machine'), assertion })
  fixture.submit({ kind: 'revokeMachineToken', keyId, token: digest('machine') })
}

function users(fixture: OAuthFixture): void {
  const { bob: userId } = fixture
  fixture.submit({ kind: 'changeUser', userId, operator: true })
  const times = { nowMs: 1, endsAtMs: 10 }
  fixture.submit({ kind: 'issueSignInLink', userId, link: digest('link'), ...times, operator: true })
  const session = digest('session')
  fixture.submit({
    kind: 'signIn',
    by: { link: digest('link') },
    session,
    ...times,
    operatorUntilMs: 5,
    from: 'digest of an address',
  })
  fixture.submit({ kind: 'dropOperatorRights', session })
  fixture.submit({ kind: 'noteFailedSignIn', userId })
  fixture.submit({ kind: 'signOut', session })
  fixture.submit({ kind: 'changeUser', userId, password: 'digest of a password' })
  fixture.submit({ kind: 'assignAccount', accountId: fixture.account('B') })
  fixture.submit({ kind: 'removeUser', userId })
}

test('client ids, secrets, codes, tokens, links, sessions and passwords are stored only in the sealed part', () => {
  const { world, clientId } = everything()
  for (const { kind, ...event } of world.events) {
    const { sealed: _, ...open } = event as { readonly sealed?: unknown }
    const text = encode(open)
    assert.ok(!/digest of|slow /.test(text) && !text.includes(clientId), `${kind}: ${text}`)
  }
})

test('the test above covers every kind of event of users, apps and machines', () => {
  const kinds = new Set(everything().world.events.map(({ kind }) => kind))
  for (const kind of [
    ...['userAdded', 'userChanged', 'userRemoved', 'accountAssigned', 'signInLinkIssued', 'signedIn'],
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
    assert.ok(kinds.has(kind as never), kind)
})
