import type { Command } from './command.ts'
import { accountCommands, positionCommands } from './commands/account.ts'
import { actionCommands } from './commands/action.ts'
import { appCommands } from './commands/app.ts'
import { auditLogCommands } from './commands/audit-log.ts'
import { clusterCommands } from './commands/cluster.ts'
import { eventsCommand } from './commands/events.ts'
import { faultCommands } from './commands/fault.ts'
import { issuerCommands, unmatchedTransferCommands } from './commands/issuer.ts'
import { keyCommands } from './commands/key.ts'
import { assetCommands, marketEventCommands } from './commands/market.ts'
import { orderCommands } from './commands/order.ts'
import { scenarioCommands, withScenario } from './commands/scenario.ts'
import { partnerCommands, userCommands } from './commands/user.ts'
import { clockCommands, worldCommands } from './commands/world.ts'
import { bundleCommand, worldFileCommands } from './commands/world-file.ts'
import { auditCommand } from './data/audit.ts'
import { dataCommands } from './data/data.ts'
import { exportCommand } from './data/export.ts'
import { importCommand } from './data/import.ts'
import { journalCommand } from './data/journal.ts'
import { storeCommands } from './data/store.ts'
import type { CommandGroup } from './help.ts'
import { configCommands } from './process/config.ts'
import { doctorCommand } from './process/doctor.ts'
import { drillCommand } from './process/drill.ts'
import { envCommand } from './process/env.ts'
import { openCommand } from './process/open.ts'
import { replayCheckCommand } from './process/replay-check.ts'
import { runCommand } from './process/run-program.ts'
import { startCommand } from './process/start.ts'
import { statusCommand, stopCommand } from './process/stop-status.ts'
import { completionCommand, openapiCommand } from './tools.ts'

/** All commands, in the groups and the order of help. */
export const commandGroups: readonly CommandGroup[] = [
  [
    'Server',
    [
      startCommand,
      stopCommand,
      statusCommand,
      doctorCommand,
      runCommand,
      openCommand,
      envCommand,
      ...configCommands,
    ],
  ],
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
  [
    'Worlds',
    [
      ...worldCommands.map(withScenario),
      ...worldFileCommands,
      ...clockCommands,
      ...faultCommands,
      ...scenarioCommands,
      drillCommand,
      replayCheckCommand,
      bundleCommand,
    ],
  ],
  ['Tokens', [...issuerCommands, ...unmatchedTransferCommands]],
  ['Records', [eventsCommand, journalCommand, auditCommand, ...auditLogCommands, ...storeCommands]],
  ['Cluster', clusterCommands],
  ['Tools', [openapiCommand, completionCommand(() => commands)]],
]

export const commands: readonly Command[] = commandGroups.flatMap(([, some]) => some)
