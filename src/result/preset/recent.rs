//! Presets of ISUCON12 to 14.

use super::{Port, Preset, Unit, seconds, unit};
use crate::result::format::Format;

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        contest: "isucon14",
        format: Format::Isucon14,
        command: "/home/isucon/bench run --addr {{host.app1}}:443 --target https://isuride.xiv.isucon.net \
                  --payment-url http://{{host.bench}}:{{port.payment}} --payment-bind-port {{port.payment}}",
        prepare_flag: Some("-t 0"),
        dir: None,
        ports: &[Port { name: "payment", default: 12345 }],
        timeout: seconds(180),
        app_port: 8080,
        units: ISURIDE,
    },
    Preset {
        contest: "isucon13",
        format: Format::Isucon13,
        command: "/home/isucon/bench_linux_amd64 run --target https://pipe.u.isucon.dev --nameserver {{host.app1}} \
                  --enable-ssl --result-path {{result_file}} --staff-log-path {{run_dir}}/staff.log \
                  --contestant-log-path {{run_dir}}/contestant.log",
        prepare_flag: Some("--pretest-only"),
        dir: None,
        ports: &[],
        timeout: seconds(180),
        app_port: 8080,
        units: ISUPIPE,
    },
    Preset {
        contest: "isucon12-qualify",
        format: Format::Isucon12Qualify,
        command: "./bench -target-addr {{host.app1}}:443",
        prepare_flag: Some("-prepare-only"),
        dir: Some("/home/isucon/bench"),
        ports: &[],
        timeout: seconds(180),
        app_port: 3000,
        units: ISUPORTS,
    },
    Preset {
        contest: "isucon12-final",
        format: Format::Isucon12Final,
        command: "ISUXBENCH_TARGET={{host.app1}} ./bin/benchmarker --stage=prod --request-timeout=10s \
                  --initialize-request-timeout=60s",
        prepare_flag: Some("-prepare-only"),
        dir: Some("/home/isucon/benchmarker"),
        ports: &[],
        timeout: seconds(240),
        app_port: 8080,
        units: ISUCONQUEST,
    },
];

const ISURIDE: &[Unit] = &[
    unit("go", "isuride-go", "go", "/home/isucon/local/golang/bin/go build -o isuride -ldflags \"-s -w\""),
    unit("node", "isuride-node", "nodejs", "/home/isucon/.x npm install"),
    unit("perl", "isuride-perl", "perl", "/home/isucon/.x cpm install --show-build-log-on-failure"),
    unit("php", "isuride-php", "php", "/home/isucon/.x ./composer.phar install"),
    unit("python", "isuride-python", "python", "/home/isucon/.local/bin/uv sync --locked --no-dev"),
    unit("ruby", "isuride-ruby", "ruby", "/home/isucon/.x bundle install"),
    unit("rust", "isuride-rust", "rust", "/home/isucon/.x cargo build --release --locked"),
];

const ISUPIPE: &[Unit] = &[
    unit(
        "go",
        "isupipe-go",
        "go",
        "/home/isucon/local/golang/bin/go build -o /home/isucon/webapp/go/isupipe -ldflags \"-s -w\"",
    ),
    unit("node", "isupipe-node", "node", "/home/isucon/.x npm install"),
    unit("perl", "isupipe-perl", "perl", "/home/isucon/.x cpm install --show-build-log-on-failure"),
    unit("php", "isupipe-php", "php", "/home/isucon/.x ./composer.phar install"),
    unit("python", "isupipe-python", "python", "/home/isucon/.x pipenv install"),
    unit("ruby", "isupipe-ruby", "ruby", "/home/isucon/.x bundle install"),
    unit("rust", "isupipe-rust", "rust", "/home/isucon/.x cargo build --release --locked"),
];

/// One unit for every language: it runs docker compose with `docker-compose-LANGUAGE.yml` and builds when it starts.
const ISUPORTS: &[Unit] = &[
    unit("go", "isuports", "go", ""),
    unit("java", "isuports", "java", ""),
    unit("node", "isuports", "node", ""),
    unit("perl", "isuports", "perl", ""),
    unit("php", "isuports", "php", ""),
    unit("python", "isuports", "python", ""),
    unit("ruby", "isuports", "ruby", ""),
    unit("rust", "isuports", "rust", ""),
];

const ISUCONQUEST: &[Unit] = &[
    unit("go", "isuconquest.go", "go", "/home/isucon/.x go build -o isuconquest ."),
    unit("nodejs", "isuconquest.nodejs", "nodejs", "/home/isucon/.x npm install"),
    unit("perl", "isuconquest.perl", "perl", "/home/isucon/.x cpm install"),
    unit("php", "isuconquest.php", "php", "/home/isucon/.x php composer.phar install"),
    unit("ruby", "isuconquest.ruby", "ruby", "BUNDLE_DEPLOYMENT=1 /home/isucon/.x bundle install"),
    unit("rust", "isuconquest.rust", "rust", "/home/isucon/.x cargo build --locked --release"),
];
