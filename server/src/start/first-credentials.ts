import type { Money } from '@quipu/core'
import type { Config } from '../config/config.ts'
import { type OwnerCredentials, readCredentials, writeCredentials } from '../process/owner-file.ts'
import type { World } from '../world/world.ts'
import { ensureKey, ensureOwner, firstStart, isFurnished, newCredentials } from './first-start.ts'

export type Keys = Pick<Config, 'keyId' | 'secretKey' | 'brokerKey' | 'brokerSecret'>

/** Gives a new `main` its furniture and its owner the credentials; an old one gets only keys it does not know yet. */
export async function furnishMain(
  main: World,
  settings: Keys & { readonly cash: Money },
  folder: string | undefined,
): Promise<{ readonly credentials: OwnerCredentials; readonly isFirstStart: boolean }> {
  const given = givenKeys(settings)
  const known = folder ? readCredentials(folder) : {}
  if (isFurnished(main, known.accountId)) {
    await addGivenKeys(main, given)
    await ensureOwner(main)
    return { credentials: { ...known, ...given }, isFirstStart: false }
  }
  // Written down before anything is done with it: a start that is cut off leaves no key without its secret.
  const planned = newCredentials({ ...known, ...given })
  if (folder) writeCredentials(folder, planned)
  const credentials = await firstStart(main, planned, settings.cash)
  if (folder) writeCredentials(folder, credentials)
  return { credentials, isFirstStart: true }
}

function givenKeys({ keyId, secretKey, brokerKey, brokerSecret }: Keys): OwnerCredentials {
  return {
    ...(keyId && secretKey ? { keyId, secretKey } : {}),
    ...(brokerKey && brokerSecret ? { brokerKey, brokerSecret } : {}),
  }
}

async function addGivenKeys(main: World, given: OwnerCredentials): Promise<void> {
  const [partnerId] = main.view.partners.keys()
  const paper = [...main.view.accounts.values()].find(({ flavour }) => flavour === 'paper')
  if (given.brokerKey && given.brokerSecret && partnerId)
    await ensureKey(main, given.brokerKey, given.brokerSecret, { partnerId })
  if (given.keyId && given.secretKey && paper)
    await ensureKey(main, given.keyId, given.secretKey, { accountId: paper.id })
}
