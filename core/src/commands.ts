import type { AccountCommand } from './account/commands.ts'
import type { PartnerCommand } from './account/partner/commands.ts'
import type { ActionCommand } from './actions/events.ts'
import type { AgendaItem } from './agenda.ts'
import type { ChainCommand } from './chain/facts.ts'
import type { ListingCommand } from './market/assets/added.ts'
import type { FollowCommand } from './market/followed.ts'
import type { ImportedCommand } from './market/imported.ts'
import type { OAuthCommand } from './oauth/commands.ts'
import type { OrderCommand } from './orders/commands.ts'
import type { RunCommand } from './runs/run.ts'
import type { TokenizationCommand } from './tokenization/commands.ts'
import type { UserCommand } from './users/commands.ts'
import type { WatchlistCommand } from './watchlists/watchlist.ts'
import type { DescribeCommand } from './worlds/description.ts'

/** All commands of a world. The clock submits due agenda items as commands. */
export type Command =
  | AccountCommand
  | PartnerCommand
  | ActionCommand
  | ListingCommand
  | ImportedCommand
  | FollowCommand
  | OrderCommand
  | UserCommand
  | OAuthCommand
  | TokenizationCommand
  | WatchlistCommand
  | RunCommand
  | ChainCommand
  | DescribeCommand
  | AgendaItem
