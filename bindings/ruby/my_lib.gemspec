# bindings/ruby/my_lib.gemspec: the gem.
Gem::Specification.new do |gem|
  gem.name = "my_lib"
  gem.version = "1.0.0"
  gem.summary = "Neural-network operators of libmy_lib, through Fiddle"
  gem.authors = ["the torchthaw authors"]
  gem.license = "MIT"
  gem.required_ruby_version = ">= 3.0"
  gem.files = Dir["lib/**/*.rb"]
end
