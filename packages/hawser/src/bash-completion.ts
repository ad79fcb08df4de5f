// The completion script for bash. It needs no other package, can be read twice, and runs nothing of what stands
// on the command line: the words go to the program as they are, without a second look by the shell.

/** `name` is the program's, on the PATH. File names complete where the program offers nothing. */
export const toBashScript = (name: string): string => `# bash completion for ${name}
_${name}_complete() {
    local line=\${COMP_LINE:0:COMP_POINT} value
    local -a words
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=\${words[\${#words[@]}-1]}
    # Bash itself cuts words at these, and wants only what comes behind.
    local before=\${current%"\${current##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\\t' read -r value _; do
        [[ $value == :* ]] || COMPREPLY+=("\${value#"$before"}")
    done < <(${name} complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _${name}_complete ${name}
`;
