import type { Money } from '@quipu/core'
import type { Config } from '../config/config.ts'
import { type OwnerCredentials, readCredentials, writeCredentials } from '../process/owner-file.ts'
import type { World } from '../world/world.ts'
import { ensureKey, ensureOwner, firstStart, isBootstrapped, newCredentials } from './first-start.ts'

export type Keys = Pick<Config, 'keyId' | 'secretKey' | 'brokerKey' | 'brokerSecret'>

/** Creates the seed data of a new `main` and the credentials of its owner. An existing `main` only gets new keys. */
export async function bootstrapMain(
  main: World,
  settings: Keys & { readonly cash: Money },
  folder: string | undefined,
): Promise<{ readonly credentials: OwnerCredentials; readonly isFirstStart: boolean }> {
  const configured = configuredKeys(settings)
  const stored = folder ? readCredentials(folder) : {}
  if (isBootstrapped(main, stored.accountId)) {
    await addConfiguredKeys(main, configured)
    await ensureOwner(main)
    return { credentials: { ...stored, ...configured }, isFirstStart: false }
  }
  // Written before any key is issued: an interrupted start leaves no key without its secret.
  const planned = newCredentials({ ...stored, ...configured })
  if (folder) writeCredentials(folder, planned)
  const credentials = await firstStart(main, planned, settings.cash)
  if (folder) writeCredentials(folder, credentials)
  return { credentials, isFirstStart: true }
}

function configuredKeys({ keyId, secretKey, brokerKey, brokerSecret }: Keys): OwnerCredentials {
  const account = keyId && secretKey ? { keyId, secretKey } : {}
  const broker = brokerKey && brokerSecret ? { brokerKey, brokerSecret } : {}
  return { ...account, ...broker }
}

async function addConfiguredKeys(main: World, configured: OwnerCredentials): Promise<void> {
  const [partnerId] = main.view.partners.keys()
  const paper = [...main.view.accounts.values()].find(({ flavour }) => flavour === 'paper')
  if (configured.brokerKey && configured.brokerSecret && partnerId)
    await ensureKey(main, configured.brokerKey, configured.brokerSecret, { partnerId })
  if (configured.keyId && configured.secretKey && paper)
    await ensureKey(main, configured.keyId, configured.secretKey, { accountId: paper.id })
}
