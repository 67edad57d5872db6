import type { JSX } from 'preact'
import { nearText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { countText } from './metrics.ts'
import { backup, backups, store } from './readings.ts'

const SHOWN_MAX = 5

/** The backups of main on the machine of the server. */
export function BackupsCard(): JSX.Element {
  const isRunning = backup.isRunning.value
  const problem = backup.problem.value
  return (
    <Card
      title="Backups of main"
      beside={
        <button
          type="button"
          class="button small right"
          disabled={isRunning}
          onClick={() => void backup.run()}
        >
          {isRunning ? 'Backing up' : 'Start backup'}
        </button>
      }
    >
      {problem && (
        <div class="body">
          <Problem title="No backup was made" error={problem} />
        </div>
      )}
      <Shown of={backups} what="the backups">
        {(list) => (list.length === 0 ? <None /> : <List of={list} />)}
      </Shown>
    </Card>
  )
}

function None(): JSX.Element {
  const last = store.value.value?.last_backup
  return (
    <Empty icon="download" title={last ? `The last backup is ${last.name}` : 'No backup yet'}>
      {last
        ? `It was made at ${nearText(last.at, Date.now())} in ${last.folder}.`
        : 'A backup copies the journal of main into a new folder, without credentials, while the server runs.'}
    </Empty>
  )
}

const List = ({ of }: { readonly of: NonNullable<typeof backups.value.value> }): JSX.Element => (
  <table>
    <thead>
      <tr>
        <th>Name</th>
        <th>Made</th>
        <th class="r">Events</th>
        <th>
          <span class="hidden-text">Folder</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {of.slice(0, SHOWN_MAX).map(({ name, folder, at, seq }) => (
        <tr key={name} data-row tabIndex={-1}>
          <td class="cut" title={folder}>
            <b>{name}</b>
          </td>
          <td>{nearText(at, Date.now())}</td>
          <td class="r n">{countText(seq)}</td>
          <td class="r">
            <Copy text={folder}>Folder</Copy>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
