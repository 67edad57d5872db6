import { accountCommands } from './account.ts'
import { actionCommands } from './action.ts'
import { appCommands } from './app.ts'
import { assetCommands } from './asset.ts'
import { attentionCommands } from './attention.ts'
import { auditCommand } from './audit.ts'
import { auditLogCommands } from './audit-log.ts'
import { clockCommands } from './clock.ts'
import type { Command } from './command.ts'
import { configCommands } from './config.ts'
import { dataCommands } from './data.ts'
import { envCommand } from './env.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { issuerCommands } from './issuer.ts'
import { keyCommands } from './key.ts'
import { openCommand } from './open.ts'
import { openapiCommand } from './openapi.ts'
import { orderCommands } from './order.ts'
import { partnerCommands } from './partner.ts'
import { startCommand } from './start.ts'
import { statusCommand } from './status.ts'
import { stopCommand } from './stop.ts'
import { storeCommands } from './store.ts'
import { userCommands } from './user.ts'
import { worldCommands } from './world.ts'

/** Everything `quipu` can do, in the order help tells it. */
export const commands: readonly Command[] = [
  startCommand,
  stopCommand,
  statusCommand,
  envCommand,
  openCommand,
  importCommand,
  exportCommand,
  auditCommand,
  ...auditLogCommands,
  openapiCommand,
  ...accountCommands,
  ...keyCommands,
  ...partnerCommands,
  ...appCommands,
  ...userCommands,
  ...orderCommands,
  ...assetCommands,
  ...dataCommands,
  ...actionCommands,
  ...issuerCommands,
  ...attentionCommands,
  ...worldCommands,
  ...clockCommands,
  ...storeCommands,
  ...configCommands,
]
