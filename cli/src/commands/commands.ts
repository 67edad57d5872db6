import { accountCommands, positionCommands } from './api/account.ts'
import { actionCommands } from './api/action.ts'
import { appCommands } from './api/app.ts'
import { auditLogCommands } from './api/audit-log.ts'
import { clusterCommands } from './api/cluster.ts'
import { eventsCommand } from './api/events.ts'
import { faultCommands } from './api/fault.ts'
import { issuerCommands, unmatchedTransferCommands } from './api/issuer.ts'
import { keyCommands } from './api/key.ts'
import { assetCommands, marketEventCommands } from './api/market.ts'
import { orderCommands } from './api/order.ts'
import { scenarioCommands, withScenario } from './api/scenario.ts'
import { partnerCommands, userCommands } from './api/user.ts'
import { clockCommands, worldCommands } from './api/world.ts'
import { bundleCommand, worldFileCommands } from './api/world-file.ts'
import type { CliCommand } from './command.ts'
import { auditCommand } from './data/audit.ts'
import { contractCommands } from './data/contract-diff.ts'
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
import { runsCommands } from './runs/runs.ts'
import { completionCommand, openapiCommand, versionCommand } from './tools.ts'

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
      ...runsCommands,
      replayCheckCommand,
      bundleCommand,
    ],
  ],
  ['Tokens', [...issuerCommands, ...unmatchedTransferCommands]],
  ['Records', [eventsCommand, journalCommand, auditCommand, ...auditLogCommands, ...storeCommands]],
  ['Cluster', clusterCommands],
  ['Tools', [openapiCommand, ...contractCommands, completionCommand(() => commands), versionCommand]],
]

export const commands: readonly CliCommand[] = commandGroups.flatMap(([, some]) => some)
