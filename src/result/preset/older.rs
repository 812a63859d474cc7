//! Presets of ISUCON9 to 11, private-isu and kayac-isucon-2022.

use super::{Port, Preset, Unit, seconds, unit};
use crate::result::format::Format;

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        contest: "isucon11-qualify",
        format: Format::Isucon11Qualify,
        // Every address in -all-addresses stands for isucondition-1, -2, -3 in this order.
        command: "./bench -tls -target={{host.app1}} -all-addresses={{host.app1}} \
                  -jia-service-url http://{{host.bench}}:{{port.jia}}",
        prepare_flag: Some("-no-load"),
        dir: Some("/home/isucon/bench"),
        ports: &[Port { name: "jia", default: 5000 }],
        timeout: seconds(180),
        app_port: 3000,
        units: ISUCONDITION,
    },
    Preset {
        contest: "isucon11-final",
        format: Format::Isucon11Final,
        command: "./bin/benchmarker -target {{host.app1}}:443 -tls",
        prepare_flag: Some("-no-load"),
        dir: Some("/home/isucon/benchmarker"),
        ports: &[],
        timeout: seconds(180),
        app_port: 7000,
        units: ISUCHOLAR,
    },
    Preset {
        contest: "isucon10-qualify",
        format: Format::Isucon10Qualify,
        command: "./bench -target-url http://{{host.app1}} -data-dir ../initial-data -fixture-dir ../webapp/fixture",
        prepare_flag: None,
        dir: Some("/home/isucon/isuumo/bench"),
        ports: &[],
        timeout: seconds(180),
        app_port: 1323,
        units: ISUUMO,
    },
    Preset {
        contest: "isucon9-qualify",
        format: Format::Isucon9Qualify,
        command: "/home/isucon/isucari/bin/benchmarker -target-url https://{{host.app1}} \
                  -target-host isucari.t.isucon.pw -data-dir /home/isucon/isucari/initial-data/ \
                  -static-dir /home/isucon/isucari/webapp/public/static/ \
                  -payment-url http://{{host.bench}}:{{port.payment}} -payment-port {{port.payment}} \
                  -shipment-url http://{{host.bench}}:{{port.shipment}} -shipment-port {{port.shipment}}",
        prepare_flag: None,
        dir: None,
        ports: &[Port { name: "payment", default: 5555 }, Port { name: "shipment", default: 7001 }],
        timeout: seconds(180),
        app_port: 8000,
        units: ISUCARI,
    },
    Preset {
        contest: "private-isu",
        format: Format::PrivateIsu,
        command: "/home/isucon/private_isu/benchmarker/bin/benchmarker \
                  -u /home/isucon/private_isu/benchmarker/userdata -t http://{{host.app1}}",
        prepare_flag: None,
        dir: None,
        ports: &[],
        timeout: seconds(150),
        app_port: 8080,
        units: PRIVATE_ISU,
    },
    Preset {
        contest: "kayac-isucon-2022",
        format: Format::Kayac2022,
        command: "./bench -target-url http://{{host.app1}}",
        prepare_flag: Some("-prepare-only"),
        dir: Some("/home/isucon/bench"),
        ports: &[],
        timeout: seconds(120),
        app_port: 80,
        // Everything runs in docker compose.
        units: &[],
    },
];

const ISUCONDITION: &[Unit] = &[
    unit("go", "isucondition.go", "go", "go build -o isucondition ."),
    unit("nodejs", "isucondition.nodejs", "nodejs", "npm ci && npm run build"),
    unit("perl", "isucondition.perl", "perl", "cpm install -g"),
    unit("php", "isucondition.php", "php", "./composer.phar install"),
    unit("python", "isucondition.python", "python", "pip install -r requirements.txt"),
    unit("ruby", "isucondition.ruby", "ruby", "bundle install -j4"),
    unit("rust", "isucondition.rust", "rust", "cargo build --locked --release"),
];

const ISUCHOLAR: &[Unit] = &[
    unit("go", "isucholar.go", "go", "go build -o isucholar ."),
    unit("nodejs", "isucholar.nodejs", "nodejs", "npm ci && npm run build"),
    unit("php", "isucholar.php", "php", "./composer.phar install"),
    unit("ruby", "isucholar.ruby", "ruby", "bundle install"),
    unit("rust", "isucholar.rust", "rust", "cargo build --locked --release"),
];

const ISUUMO: &[Unit] = &[
    unit("go", "isuumo.go", "go", "make isuumo"),
    unit("nodejs", "isuumo.nodejs", "nodejs", "npm ci"),
    unit("deno", "isuumo.deno", "deno", "make isuumo"),
    unit("perl", "isuumo.perl", "perl", "cpm install -g"),
    unit("php", "isuumo.php", "php", "composer install"),
    unit("python", "isuumo.python", "python", "pip install -r requirements.txt"),
    unit("ruby", "isuumo.ruby", "ruby", "bundle install"),
    unit("rust", "isuumo.rust", "rust", "make build"),
];

const ISUCARI: &[Unit] = &[
    unit("go", "isucari.golang", "go", "go build -o isucari"),
    unit("nodejs", "isucari.nodejs", "nodejs", "npm install && npm run build"),
    unit("perl", "isucari.perl", "perl", "carton install"),
    unit("php", "isucari.php", "php", "composer install"),
    unit("python", "isucari.python", "python", "uv sync --no-dev"),
    unit("ruby", "isucari.ruby", "ruby", "bundle install"),
];

const PRIVATE_ISU: &[Unit] = &[
    unit("ruby", "isu-ruby", "ruby", "bundle install && bundle exec ruby prepare_unicorn.rb"),
    unit("go", "isu-go", "golang", "./setup.sh"),
    unit("node", "isu-node", "node", "npm install && npm run build"),
    unit("python", "isu-python", "python", "uv sync"),
    unit("php", "php8.3-fpm", "php", "composer install"),
];
