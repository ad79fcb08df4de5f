// The permission rules, one in a row: what is decided, for which tool, and for which input.

import { Button, IconButton } from "../components/icon.tsx";
import { addRule, decisions, type RuleDraft } from "./draft.ts";

interface RuleFieldsProps {
  readonly rules: readonly RuleDraft[];
  onChange(rules: readonly RuleDraft[]): void;
}

const texts = [
  { name: "tool", label: "Tool", placeholder: "write_file" },
  { name: "match", label: "Matches", placeholder: '{"path": "docs/**"}' },
] as const;

export function RuleFields({ rules, onChange }: RuleFieldsProps) {
  function change(key: number, facts: Partial<RuleDraft>): void {
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, ...facts } : rule)));
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Permission rules</legend>
      <p className="text-xs text-soft">
        A rule that denies always wins; among the others the last one that matches decides. A program that is allowed has your rights: what
        a rule says of its arguments does not contain it.
      </p>
      {rules.map((rule, position) => (
        <div key={rule.key} role="group" aria-label={`Rule ${position + 1}`} className="flex flex-wrap items-center gap-2">
          <select
            aria-label="Decision"
            className="field"
            value={rule.decision}
            onChange={(event) => change(rule.key, { decision: decisions.find((decision) => decision === event.target.value) ?? "ask" })}
          >
            {decisions.map((decision) => (
              <option key={decision}>{decision}</option>
            ))}
          </select>
          {texts.map(({ name, label, placeholder }) => (
            <input
              key={name}
              aria-label={label}
              placeholder={placeholder}
              className="field flex-1 basis-36 font-mono text-xs"
              spellCheck={false}
              value={rule[name]}
              onChange={(event) => change(rule.key, { [name]: event.target.value })}
            />
          ))}
          <IconButton
            name="trash"
            label={`Remove rule ${position + 1}`}
            onClick={() => onChange(rules.filter(({ key }) => key !== rule.key))}
          />
        </div>
      ))}
      <Button label="Add a rule" className="self-start" onClick={() => onChange(addRule(rules))} />
    </fieldset>
  );
}
