import { operation } from '../../operation.ts'
import { array, bool, integer, oneOf, optional, record, text, timestamp } from '../../shape/index.ts'
import { ofWorld, operatorOnly, worldName } from './world-param.ts'

const bytes = () => optional(integer({ min: 0 }))

const backupName = () =>
  text({
    pattern: /^[a-z0-9][a-z0-9-]{0,59}$/,
    expected: 'a name of a-z, 0-9 and -',
    example: 'monday',
  })

export const BackupShape = record({
  name: text().about('Name of its folder.'),
  folder: text().about('Folder on the machine of the server.'),
  at: timestamp().about('By the clock of the machine.'),
  seq: integer().about('Last event of main in the backup.'),
  hash: text().about('Hash of the journal at that event.'),
  version: text().about('Version of Quipu that made it.'),
  bytes: bytes().about('Size of its files. Absent if the folder no longer exists.'),
}).named('Backup')

export const WorldStore = record({
  world: worldName(),
  stored_in: oneOf('memory', 'files', 'postgres').about('memory: a restart deletes the world.'),
  seq: integer().about('Number of events in the journal.'),
  journal_bytes: bytes().about('In PostgreSQL: of all worlds. Absent in memory.'),
  query_tables_bytes: bytes().about('Query tables. Absent if they are in memory.'),
  snapshots_bytes: bytes(),
  disk_free_bytes: bytes().about('Free bytes on the disk of the data folder.'),
  last_audit: optional(
    record({
      at: timestamp().about('By the clock of the machine.'),
      sound: bool(),
      seq: integer().about('Last audited event.'),
      problems: array(text()),
    }),
  ).about('Last audit of the world over HTTP since the start of the server.'),
  last_backup: optional(BackupShape).about(
    'Last backup of main by this server or by `quipu store backup`. Absent if none is known.',
  ),
}).named('WorldStore')

export const store = {
  getWorldStore: operation('GET /sim/v1/worlds/{world}/store', ofWorld, {
    summary: 'Get the size of the storage of a world, its last audit and its last backup.',
    output: WorldStore,
  }),
  listBackups: operation('GET /sim/v1/backups', operatorOnly, {
    summary:
      'List the backups in the backup folder of the server, newest first. In PostgreSQL also the last one elsewhere.',
    output: array(BackupShape),
  }),
  createBackup: operation('POST /sim/v1/backups', operatorOnly, {
    summary: 'Back up main into a new folder on the machine of the server, without credentials.',
    body: record({
      name: optional(backupName()).about('Default: the current time, such as 20261115-080000.'),
    }).named('NewBackup'),
    output: BackupShape,
    status: 201,
    errors: ['invalidParameter', 'backupNotPossible', 'backupNameTaken', 'backupRunning', 'backupFailed'],
  }),
}
