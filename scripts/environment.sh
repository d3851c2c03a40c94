# What scripts/demo, scripts/test and .ci/run share: finding Python, making .venv from the lock files.
# Sourced from the root of the checkout; plain POSIX sh.

say() {
    printf '%s\n' "$*" >&2
}

# Prints how a command is run as root here, or fails when that cannot be done without asking.
root_prefix() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null && echo "sudo -n"
}

# Installs Debian packages, or fails. Says what it does; shows apt's own words only when it fails.
apt_install() {
    command -v apt-get >/dev/null 2>&1 && prefix=$(root_prefix) || return 1
    say "Installing $* with apt-get ..."
    log=$(mktemp)
    # shellcheck disable=SC2086 # the prefix is nothing or two words
    if { $prefix apt-get update -q && $prefix env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@"; } >"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        tail -n 5 "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# Prints the newest Python from 3.11 on that can run the given statement.
newest_python() {
    for name in ${PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3; do
        if "$name" -c "import sys; assert sys.version_info >= (3, 11); $1" >/dev/null 2>&1; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

# Prints a Python that can make virtual environments; installs what it lacks, or says what to install.
find_python() {
    newest_python "import venv, ensurepip" && return 0
    if ! bare=$(newest_python "pass"); then
        found=$(python3 --version 2>&1) || found="none"
        say "scripts: expected Python 3.11 or newer, got $found; install it (Debian 12 and Ubuntu 24.04 or" \
            "newer: apt-get install python3 python3-venv) or name one: PYTHON=/path/to/python3 $0"
        return 1
    fi
    package=$("$bare" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    apt_install "$package" >&2 && newest_python "import venv, ensurepip" && return 0
    say "scripts: expected Python's venv module, got $bare without it; run: sudo apt-get install $package"
    return 1
}

# True when .venv was made here from other lock files than the checkout's, or in another place.
stale() {
    [ -d .venv/locked ] || return 1
    [ "$(cat .venv/locked/place 2>/dev/null)" = "$PWD" ] || return 0
    for lock in .venv/locked/requirements*.txt; do
        [ -e "$lock" ] && ! cmp -s "$lock" "${lock##*/}" && return 0
    done
    ! .venv/bin/python -m pip --version >/dev/null 2>&1
}

pip_install() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
        --use-pep517 --no-build-isolation "$@"
}

# Makes .venv hold what the given lock files name, with this checkout in it. Quick when nothing changed.
prepare() {
    begun=$(date +%s)
    if stale; then
        say "The lock files changed, or the checkout moved, since .venv was made: making it again."
        rm -rf .venv
    fi
    if ! [ -x .venv/bin/python ]; then
        python=$(find_python) || exit 1
        say "Making .venv with $("$python" --version) ..."
        "$python" -m venv .venv
    fi
    mkdir -p .venv/locked
    printf '%s\n' "$PWD" >.venv/locked/place
    for lock in "$@"; do
        cmp -s "$lock" ".venv/locked/$lock" && continue
        say "Installing the packages of $lock ..."
        pip_install --require-hashes -r "$lock"
        cp "$lock" ".venv/locked/$lock"
    done
    if ! cmp -s pyproject.toml .venv/locked/pyproject.toml; then
        say "Installing rankgauge from this checkout ..."
        pip_install --no-deps --editable .
        cp pyproject.toml .venv/locked/pyproject.toml
    fi
    say "The environment .venv is ready ($(($(date +%s) - begun)) s)."
}
