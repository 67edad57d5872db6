import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { nearText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { bytesText, countText } from './metrics.ts'
import { type Backup, backup, backups, store } from './readings.ts'

const SHOWN_MAX = 5

/** The backups of main on the machine of the server. */
export function BackupsCard(): JSX.Element {
  const isRunning = backup.isRunning.value
  const problem = backup.problem.value
  const made = backup.result.value
  return (
    <Card
      title="Backups of main"
      beside={
        <button
          data-changes
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
      {made && !isRunning && !problem && (
        <p class="body small" role="status">
          {made.name} was made: {sizeText(made)}, {countText(made.seq)} events, every checksum and hash
          checked.
        </p>
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

const sizeText = ({ bytes }: Backup): string => (bytes === undefined ? 'folder missing' : bytesText(bytes))

function List({ of }: { readonly of: readonly Backup[] }): JSX.Element {
  const [isAll, setAll] = useState(false)
  return (
    <>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th>Made</th>
              <th class="r">Size</th>
              <th class="r wide-only">Events</th>
              <th>
                <span class="hidden-text">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {of.slice(0, isAll ? undefined : SHOWN_MAX).map((one) => (
              <Row key={one.name} of={one} />
            ))}
          </tbody>
        </table>
      </div>
      <div class="body small faint backups-foot">
        {of.length > SHOWN_MAX && (
          <button type="button" class="link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? `Show the newest ${SHOWN_MAX}` : `Show all ${of.length}`}
          </button>
        )}
        <p>
          In <code>{parentOf(of[0]!.folder)}</code> on the machine of the server. Copy a folder to another
          disk to keep it. A restore needs the server stopped.{' '}
          <a class="link" href="docs/guides/backup">
            More
          </a>
        </p>
      </div>
    </>
  )
}

const parentOf = (folder: string): string => folder.replace(/[\\/][^\\/]*$/, '')

/** A folder as one word of a shell. */
const quoted = (folder: string): string => `'${folder.replaceAll("'", "'\\''")}'`

function Row({ of }: { readonly of: Backup }): JSX.Element {
  const { name, folder, at, seq, version } = of
  return (
    <tr data-row tabIndex={-1}>
      <td class="cut" title={`${folder}, version ${version}`}>
        <b>{name}</b>
      </td>
      <td>{nearText(at, Date.now())}</td>
      <td class="r n">{sizeText(of)}</td>
      <td class="r n wide-only">{countText(seq)}</td>
      <td class="r">
        <Copy text={folder}>
          Folder<span class="hidden-text"> of {name}</span>
        </Copy>{' '}
        <Copy text={`quipu store restore ${quoted(folder)}`}>
          Restore command<span class="hidden-text"> of {name}</span>
        </Copy>
      </td>
    </tr>
  )
}
