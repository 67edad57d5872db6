import { accountCommands } from './account.ts'
import { actionCommands } from './action.ts'
import { appCommands } from './app.ts'
import { assetCommands } from './asset.ts'
import { attentionCommands } from './attention.ts'
import { auditCommand } from './audit.ts'
import { auditLogCommands } from './audit-log.ts'
import { clockCommands } from './clock.ts'
import type { Command } from './command.ts'
import { completionCommand } from './completion.ts'
import { configCommands } from './config.ts'
import { dataCommands } from './data.ts'
import { envCommand } from './env.ts'
import { eventsCommand } from './events.ts'
import { exportCommand } from './export.ts'
import type { CommandGroup } from './help.ts'
import { importCommand } from './import.ts'
import { issuerCommands } from './issuer.ts'
import { keyCommands } from './key.ts'
import { marketEventCommands } from './market-event.ts'
import { openCommand } from './open.ts'
import { openapiCommand } from './openapi.ts'
import { orderCommands } from './order.ts'
import { partnerCommands } from './partner.ts'
import { positionCommands } from './position.ts'
import { startCommand } from './start.ts'
import { statusCommand } from './status.ts'
import { stopCommand } from './stop.ts'
import { storeCommands } from './store.ts'
import { userCommands } from './user.ts'
import { worldCommands } from './world.ts'

/** Everything `quipu` can do, in the groups and the order of help. */
export const commandGroups: readonly CommandGroup[] = [
  ['Server', [startCommand, stopCommand, statusCommand, openCommand, envCommand, ...configCommands]],
  ['Accounts and orders', [...accountCommands, ...orderCommands, ...positionCommands]],
  ['Users and keys', [...userCommands, ...keyCommands, ...partnerCommands, ...appCommands]],
  [
    'Market',
    [
      ...assetCommands,
      ...marketEventCommands,
      ...actionCommands,
      ...dataCommands,
      importCommand,
      exportCommand,
    ],
  ],
  ['Worlds', [...worldCommands, ...clockCommands]],
  ['Tokens', [...issuerCommands, ...attentionCommands]],
  ['Records', [eventsCommand, auditCommand, ...auditLogCommands, ...storeCommands]],
  ['Tools', [openapiCommand, completionCommand(() => commands)]],
]

export const commands: readonly Command[] = commandGroups.flatMap(([, some]) => some)
