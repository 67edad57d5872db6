import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { RECOVERY_HEADER, recoveryFile } from '@quipu/broker/data-folder/recovery-file.ts'
import type { Services } from '../services.ts'
import { forwardedOf } from './peer.ts'

/** No path can be made of it. */
const NAME = /^[0-9a-f]{32}$/

/**
 * Whether the sender can write to the data folder, as only the owner of the server on its machine can: the request names a
 * new file there. A key alone does not prove it, and neither does an address, which a proxy on this machine has too.
 */
export function isFromMachine({ security }: Services, request: IncomingMessage): boolean {
  const { recoveryFolder } = security
  if (forwardedOf(request)?.isFromMachine) return true
  const name = request.headers[RECOVERY_HEADER]
  if (recoveryFolder === undefined || typeof name !== 'string' || !NAME.test(name)) return false
  return existsSync(recoveryFile(recoveryFolder, name))
}
