// What a search over the text of all conversations has found: by conversation, each message with the words in what stands around them,
// and the way to its place. Excerpts are text of users and models, shown as text.

import { reveal, type SearchMatch } from "@hawser/protocol";
import { usePage } from "../session/page-context.ts";
import { markWords } from "./mark-words.ts";
import type { Found } from "./use-search.ts";

interface SearchResultsProps {
  readonly found: Found;
  onOpen(conversationId: string, messageId: string): void;
}

export function SearchResults({ found, onOpen }: SearchResultsProps) {
  const groups = [...Map.groupBy(found.matches, ({ conversationId }) => conversationId)];
  return (
    <section aria-label="Found in messages" className="space-y-3">
      <p role="status" className="px-2 text-xs text-soft wrap-anywhere">
        {describe(found, groups.length)}
      </p>
      {groups.map(([conversationId, matches]) => (
        <ConversationMatches key={conversationId} matches={matches} query={found.query} onOpen={onOpen} />
      ))}
    </section>
  );
}

const countOf = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

function describe({ matches, pending, error }: Found, conversations: number): string {
  if (error !== undefined) return `Messages can't be searched: ${reveal(error)}`;
  const count = `${countOf(matches.length, "message", "messages")} in ${countOf(conversations, "conversation", "conversations")}`;
  const said = matches.length === 0 ? "No message has these words." : `${count}.`;
  return pending === 0 ? said : `${said} ${countOf(pending, "conversation is", "conversations are")} still being read.`;
}

interface ConversationMatchesProps extends Pick<SearchResultsProps, "onOpen"> {
  readonly matches: readonly SearchMatch[];
  readonly query: string;
}

function ConversationMatches({ matches, query, onOpen }: ConversationMatchesProps) {
  const [{ conversationId, title } = { conversationId: "", title: "" }] = matches;
  // It may have been renamed since it was looked at.
  const known = usePage(({ conversations }) => conversations.find((summary) => summary.conversationId === conversationId)?.title);
  const name = reveal((known ?? title) || "Untitled");
  return (
    <section aria-label={name}>
      <h3 title={name} dir="auto" className="truncate px-2 text-xs font-semibold text-soft">
        {name}
      </h3>
      <ul>
        {matches.map((match) => (
          <li key={match.messageId}>
            <a
              href={`#/c/${encodeURIComponent(conversationId)}`}
              className="block rounded-lg px-2 py-1.5 text-sm hover:bg-raised"
              onClick={(event) => {
                event.preventDefault();
                onOpen(conversationId, match.messageId);
              }}
            >
              <span className="flex justify-between gap-2 text-xs text-soft">
                <span>{match.role === "user" ? "You" : "Agent"}</span>
                <time dateTime={new Date(match.timestamp).toISOString()}>{day.format(match.timestamp)}</time>
              </span>
              <span dir="auto" className="block wrap-anywhere">
                {markWords(reveal(match.excerpt), query).map(({ text, isMarked }, at) => (isMarked ? <mark key={at}>{text}</mark> : text))}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
