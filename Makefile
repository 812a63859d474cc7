# Two commands: `make demo` shows the main job, `make test` runs every test. Both install what they need.

.PHONY: demo test lint build clean

demo:
	@scripts/demo

test:
	@scripts/test

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings

build:
	cargo build --locked --release

clean:
	cargo clean
