import { randomBytes } from 'node:crypto'
import type { ClientId, PartnerId, RegisterApp } from '@quipu/core'
import { digestOf } from './credentials.ts'
import { done } from './furnish.ts'
import type { World } from './world.ts'

export const REDIRECT = 'http://localhost:8080/callback'

/** An app as its owner knows it. */
export type TestApp = { readonly clientId: ClientId; readonly secret: string }

/** Registers an app of the world's first partner, or of the one named. */
export async function registerTestApp(world: World, patch: Partial<RegisterApp> = {}): Promise<TestApp> {
  const [owner] = world.view.partners.keys() as MapIterator<PartnerId>
  const clientId = randomBytes(16).toString('hex') as ClientId
  const secret = randomBytes(20).toString('hex')
  const command: RegisterApp = {
    kind: 'registerApp',
    clientId,
    owner: owner!,
    name: 'Trading app',
    description: 'It trades.',
    url: 'https://app.example',
    termsOfUse: '',
    privacyPolicy: '',
    redirectUris: [REDIRECT],
    scopes: ['account:write', 'trading', 'data'],
    liveTradingApproved: false,
    secret: digestOf(secret),
    ...patch,
  }
  await done(world, command, 'appRegistered')
  return { clientId, secret }
}
